// bench_simdjson.cpp - simdjson On-Demand reading the same fields from the same trace
//
//   bench_simdjson FILE [ROUNDS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <simdjson.h>

using namespace simdjson;

struct sum {
    size_t events = 0;
    size_t bytes = 0;
};

static void add(ondemand::value value, sum &total)
{
    total.bytes += value.raw_json_token().size();
}

// Fields in the order of the file, as any program that reads several of them would.
static void read_event(ondemand::object event, sum &total)
{
    total.events++;
    for (auto field : event) {
        ondemand::raw_json_string key = field.key();
        ondemand::value value = field.value();
        if (key == "ph" || key == "cat" || key == "name" || key == "pid" || key == "tid" || key == "ts" ||
            key == "dur" || key == "id") {
            add(value, total);
        } else if (key == "args") {
            if (value.type() != ondemand::json_type::object) {
                continue;
            }
            for (auto argument : value.get_object()) {
                ondemand::raw_json_string name = argument.key();
                if (name == "device" || name == "correlation") {
                    add(argument.value(), total);
                }
            }
        }
    }
}

// The least: two fields per event, found by name.
static void read_two(ondemand::object event, sum &total)
{
    total.events++;
    for (const char *key : {"cat", "ts"}) {
        ondemand::value value;
        if (event.find_field(key).get(value) == SUCCESS) {
            add(value, total);
        }
    }
}

template <typename Read> static void bench(const char *name, const padded_string &json, int rounds, Read read)
{
    double best = 1e9;
    sum total;
    // One parser for all rounds: its buffers, several times the file, are then not counted after the first round.
    ondemand::parser parser;
    for (int round = 0; round < rounds; round++) {
        total = sum();
        auto start = std::chrono::steady_clock::now();
        ondemand::document document = parser.iterate(json);
        ondemand::array events = document.type() == ondemand::json_type::array
                                     ? document.get_array().value()
                                     : document.find_field("traceEvents").get_array().value();
        for (auto event : events) {
            ondemand::object object;
            if (event.get(object) == SUCCESS) {
                read(object, total);
            }
        }
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = seconds.count() < best ? seconds.count() : best;
    }
    std::printf("%-16s %7.3f GB/s  %7.3f s/GB  %zu events, %zu bytes of fields\n", name, double(json.size()) / best * 1e-9,
                best / double(json.size()) * 1e9, total.events, total.bytes);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_simdjson FILE [ROUNDS]\n");
        return 2;
    }
    int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    padded_string json = padded_string::load(argv[1]);
    bench("simdjson, all", json, rounds, read_event);
    bench("simdjson, two", json, rounds, read_two);
    return 0;
}
