/*
 * test_scan_rows.h - inputs and what the parsers make of them; see test_scan.c
 */
#ifndef TEST_SCAN_ROWS_H
#define TEST_SCAN_ROWS_H

#include <stddef.h>

struct row {
    const char *input;
    const char *fast;
    const char *strict;
};

static const struct row rows[] = {
    /* a trace as profilers write it */
    {"{\"schemaVersion\": 1,\n"
     "\"traceEvents\": [\n"
     "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7,\n"
     " \"ts\": 16.5, \"dur\": 4, \"args\": {\"device\": 0, \"correlation\": 12, \"grid\": [1, 2]}},\n"
     "{\"ph\": \"f\", \"id\": 3}\n"
     "], \"traceName\": \"t\"}\n",
     "0 38-183 { ph=\"X\" cat=\"kernel\" name=\"gemm\" pid=0 tid=7 ts=16.5 dur=4 device=0 correlation=12 }\n"
     "1 185-205 { ph=\"f\" id=3 }\n"
     "ok events 2 insert 206 total 227 comma\n",
     NULL},
    /* a bare array */
    {"[{\"ph\":\"X\"},{\"ph\":\"M\",\"args\":{\"name\":\"x\"}}]",
     "0 1-11 { ph=\"X\" }\n"
     "1 12-42 { ph=\"M\" }\n"
     "ok events 2 insert 42 total 43 bare comma\n",
     NULL},
    /* what stands beside the array: its rank, its clock */
    {"{\"baseTimeNanoseconds\": 1759165000000000000, "
     "\"traceEvents\":[],\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,"
     "\"world_size\":8,\"pg_config\":[{\"rank\":9}],\"x\":{\"rank\":7}}}",
     "ok events 0 insert 60 total 163\nfact base-time 1759165000000000000\nfact rank 3\nfact world-size 8\n", NULL},
    {"{\"traceEvents\":[{\"distributedInfo\":{\"rank\":1},\"args\":{\"distributedInfo\":{\"rank\":1},\"rank\":2}}],"
     "\"rank\":4,"
     "\"x\":{\"rank\":5,\"distributedInfo\":{\"rank\":6}}}",
     "0 16-93 { }\nok events 1 insert 93 total 148 comma\n", NULL},
    /* only plain whole numbers; a key that comes again takes back what it said */
    {"{\"traceEvents\":[],\"baseTimeNanoseconds\":12345678901234567890,\"distributedInfo\":{\"rank\":\"3\",\"world_"
     "size\":8.0}}",
     "ok events 0 insert 16 total 109\n", NULL},
    {"{\"traceEvents\":[],\"distributedInfo\":{\"rank\":3,\"world_size\":8},\"distributedInfo\":[{\"rank\":1}],"
     "\"baseTimeNanoseconds\":7,\"baseTimeNanoseconds\":null}",
     "ok events 0 insert 16 total 144\n", NULL},
    {"{\"traceEvents\":[],\"distributedInfo\":{\"rank\":3,\"rank\":[4],\"world_size\":2,\"world_size\":0}}",
     "ok events 0 insert 16 total 88\nfact world-size 0\n", NULL},
    {"{\"traceEvents\":[],\"\\u0064istributedInfo\":{\"r\\u0061nk\":12}}",
     "ok events 0 insert 16 total 58\nfact rank 12\n", NULL},
    /* an empty array */
    {"{\"traceEvents\":[ ]}", "ok events 0 insert 17 total 19\n", NULL},
    /* all elements count */
    {"[{},null,true,-2.5e-3,\"s\",[],[{\"ph\":1}],{\"ph\":null}]",
     "0 1-3 { }\n"
     "1 4-8\n"
     "2 9-13\n"
     "3 14-21\n"
     "4 22-25\n"
     "5 26-28\n"
     "6 29-39\n"
     "7 40-51 { ph=null }\n"
     "ok events 8 insert 51 total 52 bare comma\n",
     NULL},
    /* all kinds of values */
    {"[{\"ph\":null,\"cat\":true,\"name\":false,\"pid\":-0,\"tid\":\"\",\"ts\":[1],\"dur\":{\"a\":1},\"id\":\"x\","
     "\"args\":{\"device\":{},\"correlation\":[]}}]",
     "0 1-124 { ph=null cat=true name=false pid=-0 tid=\"\" ts=nested dur=nested id=\"x\" device=nested "
     "correlation=nested }\n"
     "ok events 1 insert 124 total 125 bare comma\n",
     NULL},
    /* only depth 1 has the event array */
    {"{\"a\":{\"traceEvents\":[1]},\"b\":[{\"traceEvents\":[2]}],\"traceEvents\":[{\"args\":{\"traceEvents\":[3]}}]}",
     "0 66-94 { }\n"
     "ok events 1 insert 94 total 96 comma\n",
     NULL},
    /* only depth 1 of an event has its fields */
    {"[{\"x\":{\"ph\":\"X\"},\"args\":{\"name\":\"n\",\"x\":{\"device\":1},\"y\":[{\"device\":2}]}},{\"y\":[{\"ph\":1}]"
     "}]",
     "0 1-73 { }\n"
     "1 74-90 { }\n"
     "ok events 2 insert 90 total 91 bare comma\n",
     NULL},
    /* the last of equal keys counts */
    {"[{\"name\":\"a\",\"name\":7,\"args\":{\"device\":1,\"device\":2}}]",
     "0 1-53 { name=7 device=2 }\n"
     "ok events 1 insert 53 total 54 bare comma\n",
     NULL},
    /* a second args replaces the first */
    {"[{\"args\":{\"device\":1,\"correlation\":2},\"args\":{\"device\":3}},{\"args\":{\"device\":1},\"args\":0}]",
     "0 1-58 { device=3 }\n"
     "1 59-89 { }\n"
     "ok events 2 insert 89 total 90 bare comma\n",
     NULL},
    /* keys are compared decoded */
    {"{\"trace\\u0045vents\":[{\"\\u0070h\":\"X\",\"args\":{\"dev\\u0069ce\":1}}]}",
     "0 21-61 { ph=\"X\" device=1 }\n"
     "ok events 1 insert 61 total 63 comma\n",
     NULL},
    /* keys that end like others */
    {"[{\"a\\\"ph\":1,\"xname\":2,\"\\\\ts\":3,\"\":4,\"h\":5,\"args\":{\"xdevice\":1,\"a\\\"correlation\":2}}]",
     "0 1-82 { }\n"
     "ok events 1 insert 82 total 83 bare comma\n",
     NULL},
    /* white space everywhere */
    {" { \"traceEvents\" : [ { \"ph\" : \"X\" , \"args\" : { \"device\" : 0 } , \"x\" : [ ] } , \n"
     "\x09\x0d null ] } ",
     "0 21-75 { ph=\"X\" device=0 }\n"
     "1 82-86\n"
     "ok events 2 insert 87 total 91 comma\n",
     NULL},
    /* escapes */
    {"[{\"name\":\"a\\\"b\\\\c\\/\\u00e9\\ud83d\\ude00\"}]",
     "0 1-39 { name=\"a\"b\\c/\xc3\xa9\xf0\x9f\x98\x80\" }\n"
     "ok events 1 insert 39 total 40 bare comma\n",
     NULL},
    /* UTF-8 */
    {"[{\"name\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}]",
     "0 1-21 { name=\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\" }\n"
     "ok events 1 insert 21 total 22 bare comma\n",
     NULL},
    /* a control byte in a string */
    {"[{\"name\":\"a\n"
     "b\",\"args\":{\"x\":\"\x01\x02\"}}]",
     "0 1-33 { name=\"a\n"
     "b\" }\n"
     "ok events 1 insert 33 total 34 bare comma\n"
     "warned control 2, first at 9\n",
     "refused syntax at 11, in event 0, last end 0, key name: control character in a string\n"},
    /* invalid UTF-8 */
    {"[{\"name\":\"caf\xe9\",\"args\":{\"x\":\"\xed\xa0\x80\",\"y\":\"\xf0\x9f\x98\"}}]",
     "0 1-45 { name=\"caf\xe9\" }\n"
     "ok events 1 insert 45 total 46 bare comma\n"
     "warned utf8 3, first at 9\n",
     "refused syntax at 14, in event 0, last end 0, key name: invalid UTF-8\n"},
    /* unknown escapes */
    {"[{\"name\":\"C:\\Users\",\"cat\":\"\\u12\",\"args\":{\"x\":\"\\q\\q\"}}]",
     "0 1-53 { cat=\"\\u12\" name=\"C:\\Users\" }\n"
     "ok events 1 insert 53 total 54 bare comma\n"
     "warned escape 3, first at 9\n",
     "refused syntax at 13, in event 0, last end 0, key name: unknown escape in a string\n"},
    /* bare nonfinite numbers */
    {"[{\"ts\":nan,\"dur\":-Infinity,\"args\":{\"a\":NaN,\"b\":[inf,+inf],\"d\":N/A}}]",
     "0 1-67 { ts=!nan dur=!-Infinity }\n"
     "ok events 1 insert 67 total 68 bare comma\n"
     "warned nonfinite 4, first at 39\n"
     "warned nonfinite-time 2, first at 7\n",
     "refused syntax at 8, in event 0, last end 0, key ts: expected true, false or null\n"},
    /* nonfinite at the top level object */
    {"{\"x\":NaN,\"traceEvents\":[]}",
     "ok events 0 insert 24 total 26\n"
     "warned nonfinite 1, first at 5\n",
     "refused syntax at 5, before event 0, last end 0: no JSON value starts like this\n"},
    /* nonfinite as an element */
    {"[nan]", "refused syntax at 1, in event 0, last end 0: no JSON value starts like this\n",
     "refused syntax at 2, before event 0, last end 0: expected true, false or null\n"},
    /* nonfinite as the array */
    {"{\"traceEvents\":NaN}", "refused no-array at 15, before event 0, last end 0\n",
     "refused syntax at 15, before event 0, last end 0: no JSON value starts like this\n"},
    /* no such word */
    {"[{\"a\":nax}]", "refused syntax at 8, in event 0, last end 0: expected true, false or null\n",
     "refused syntax at 7, in event 0, last end 0: expected true, false or null\n"},
    /* trailing comma in the event array */
    {"{\"traceEvents\":[{} , ]}",
     "0 16-18 { }\n"
     "ok events 1 insert 21 total 23\n"
     "warned trailing-comma 1, first at 19\n",
     "0 16-18 { }\n"
     "refused syntax at 21, before event 1, last end 18: expected a value\n"},
    /* trailing commas elsewhere */
    {"{\"traceEvents\":[{\"args\":{\"a\":[1,],},},{}],}",
     "0 16-37 { }\n"
     "1 38-40 { }\n"
     "ok events 2 insert 40 total 43 comma\n"
     "warned trailing-comma 4, first at 31\n",
     "refused syntax at 32, in event 0, last end 0, key args: expected a value\n"},
    /* open array */
    {"[{\"ph\":\"X\"}\n",
     "0 1-11 { ph=\"X\" }\n"
     "ok events 1 insert 12 total 12 bare open comma\n"
     "warned open-array 1, first at 12\n",
     "0 1-11 { ph=\"X\" }\n"
     "refused truncated at 12, before event 1, last end 11\n"},
    /* open array behind a comma */
    {"[{\"ph\":\"X\"},\n",
     "0 1-11 { ph=\"X\" }\n"
     "ok events 1 insert 13 total 13 bare open\n"
     "warned trailing-comma 1, first at 11\n"
     "warned open-array 1, first at 13\n",
     "0 1-11 { ph=\"X\" }\n"
     "refused truncated at 13, before event 1, last end 11\n"},
    /* open array behind a literal */
    {"[{},null",
     "0 1-3 { }\n"
     "1 4-8\n"
     "ok events 2 insert 8 total 8 bare open comma\n"
     "warned open-array 1, first at 8\n",
     "0 1-3 { }\n"
     "1 4-8\n"
     "refused truncated at 8, before event 2, last end 8\n"},
    /* open array behind a number that may go on */
    {"[{},12",
     "0 1-3 { }\n"
     "refused truncated at 6, in event 1, last end 3\n",
     "0 1-3 { }\n"
     "refused truncated at 6, before event 1, last end 3\n"},
    /* open and empty */
    {"[",
     "ok events 0 insert 1 total 1 bare open\n"
     "warned open-array 1, first at 1\n",
     "refused truncated at 1, before event 0, last end 0\n"},
    /* open array cut in an event */
    {"[{\"ph\":\"X\"},{\"ph",
     "0 1-11 { ph=\"X\" }\n"
     "refused truncated at 16, in event 1, last end 11\n",
     NULL},
    /* an object is never open */
    {"{\"traceEvents\":[{\"ph\":\"X\"}",
     "0 16-26 { ph=\"X\" }\n"
     "refused truncated at 26, before event 1, last end 26\n",
     NULL},
    /* cut behind the array */
    {"{\"traceEvents\":[{}], \"x",
     "0 16-18 { }\n"
     "refused truncated at 23, before event 1, last end 18\n",
     NULL},
    /* empty */
    {"", "refused empty at 0, before event 0, last end 0\n", NULL},
    /* blank */
    {" \n", "refused empty at 2, before event 0, last end 0\n", NULL},
    /* byte order mark */
    {"\xef\xbb\xbf{\"traceEvents\":[]}", "refused bom at 0, before event 0, last end 0\n", NULL},
    /* half a byte order mark */
    {"\xef\xbb", "refused not-json at 0, before event 0, last end 0\n", NULL},
    /* not JSON */
    {"hello", "refused not-json at 0, before event 0, last end 0\n", NULL},
    /* a number */
    {" 17", "refused not-json at 1, before event 0, last end 0\n", NULL},
    /* no event array */
    {"{\"a\":[]} ", "refused no-events at 7, before event 0, last end 0\n", NULL},
    /* event array is none */
    {"{\"traceEvents\" : {}}", "refused no-array at 17, before event 0, last end 0\n", NULL},
    /* two event arrays */
    {"{\"traceEvents\":[], \"traceEvents\":[]}", "refused two-arrays at 19, before event 0, last end 0\n", NULL},
    /* two event arrays, one escaped */
    {"{\"traceEvents\":[],\"trace\\u0045vents\":1}", "refused two-arrays at 18, before event 0, last end 0\n", NULL},
    /* lines of JSON */
    {"{\"traceEvents\":[]}\n"
     "{\"a\":1}",
     "refused trailing at 19, before event 0, last end 0\n", NULL},
    /* something behind the document */
    {"[{}] x",
     "0 1-3 { }\n"
     "refused trailing at 5, before event 1, last end 3\n",
     NULL},
    /* stray quote in a name */
    {"[{},{\"ph\":\"X\",\"name\":\"foo\"bar\",\"ts\":1}]",
     "0 1-3 { }\n"
     "refused syntax at 26, in event 1, last end 3, key name: expected ',' or '}'\n",
     "0 1-3 { }\n"
     "refused syntax at 26, in event 1, last end 3, key name: no JSON value starts like this\n"},
    /* stray quote in args */
    {"[{\"args\":{\"device\":\"a\"b\"}}]",
     "refused syntax at 22, in event 0, last end 0, key device: expected ',' or '}'\n",
     "refused syntax at 22, in event 0, last end 0, key device: no JSON value starts like this\n"},
    /* two commas */
    {"[{},,{}]",
     "0 1-3 { }\n"
     "refused syntax at 4, before event 1, last end 3: expected a value\n",
     NULL},
    /* a comma first */
    {"[,{}]", "refused syntax at 1, before event 0, last end 0: expected a value\n", NULL},
    /* a comma alone in an object */
    {"[{,}]", "refused syntax at 2, in event 0, last end 0: expected a string as key\n", NULL},
    /* no comma between events */
    {"[{} {}]",
     "0 1-3 { }\n"
     "refused syntax at 4, before event 1, last end 3: expected ',' or ']'\n",
     NULL},
    /* no comma in an event */
    {"[{\"a\":1 \"b\":2}]", "refused syntax at 8, in event 0, last end 0: expected ',' or '}'\n", NULL},
    /* no colon */
    {"[{\"a\" 1}]", "refused syntax at 6, in event 0, last end 0: expected ':'\n", NULL},
    /* no value */
    {"[{\"a\":}]", "refused syntax at 6, in event 0, last end 0: expected a value\n", NULL},
    /* no key */
    {"[{\"a\":1,\"b\"}]", "refused syntax at 11, in event 0, last end 0: expected ':'\n", NULL},
    /* key is no string */
    {"[{1:2}]", "refused syntax at 2, in event 0, last end 0: expected a string as key\n", NULL},
    /* colon in an array */
    {"[{\"a\":[\"b\":1]}]", "refused syntax at 10, in event 0, last end 0: expected ',' or ']'\n", NULL},
    /* value behind a value */
    {"[{\"a\":\"b\":1}]", "refused syntax at 9, in event 0, last end 0: expected ',' or '}'\n", NULL},
    /* brackets do not match */
    {"[{\"a\":[1}]", "refused syntax at 8, in event 0, last end 0: expected ',' or ']'\n", NULL},
    /* brackets do not match 2 */
    {"[{\"a\":1]", "refused syntax at 7, in event 0, last end 0: expected ',' or '}'\n", NULL},
    /* comment */
    {"[/* x */]", "refused syntax at 1, in event 0, last end 0: no JSON value starts like this\n",
     "refused syntax at 1, before event 0, last end 0: comments are not JSON\n"},
    /* single quotes */
    {"[{'a':1}]", "refused syntax at 2, in event 0, last end 0: expected a string as key\n",
     "refused syntax at 2, in event 0, last end 0: no JSON value starts like this\n"},
    /* leading zero */
    {"[{\"ts\":01}]", "refused syntax at 8, in event 0, last end 0, key ts: expected ',' or '}'\n", NULL},
    /* plus */
    {"[{\"ts\":+1}]", "refused syntax at 7, in event 0, last end 0, key ts: no JSON value starts like this\n", NULL},
    /* no digit behind the dot */
    {"[{\"ts\":1.}]", "refused syntax at 9, in event 0, last end 0, key ts: expected a digit\n", NULL},
    /* no digit before the dot */
    {"[{\"ts\":.5}]", "refused syntax at 7, in event 0, last end 0, key ts: no JSON value starts like this\n", NULL},
    /* two dots */
    {"[{\"ts\":1.2.3}]", "refused syntax at 10, in event 0, last end 0, key ts: expected ',' or '}'\n",
     "refused syntax at 10, in event 0, last end 0, key ts: no JSON value starts like this\n"},
    /* minus alone */
    {"[{\"ts\":-}]", "refused syntax at 8, in event 0, last end 0, key ts: expected a digit\n", NULL},
    /* no exponent */
    {"[{\"ts\":1e}]", "refused syntax at 9, in event 0, last end 0, key ts: expected a digit\n", NULL},
    /* minus inside */
    {"[{\"ts\":1-2}]", "refused syntax at 8, in event 0, last end 0, key ts: expected ',' or '}'\n", NULL},
    /* good numbers */
    {"[{\"ts\":-0.50,\"dur\":1E+9,\"pid\":0,\"tid\":10.0e-07,\"id\":123456789012345678901234567890}]",
     "0 1-83 { pid=0 tid=10.0e-07 ts=-0.50 dur=1E+9 id=123456789012345678901234567890 }\n"
     "ok events 1 insert 83 total 84 bare comma\n",
     NULL},
    /* literal too long */
    {"[{\"a\":nulll}]", "refused syntax at 10, in event 0, last end 0: expected ',' or '}'\n",
     "refused syntax at 10, in event 0, last end 0: no JSON value starts like this\n"},
    /* literal in capitals */
    {"[{\"a\":True}]", "refused syntax at 6, in event 0, last end 0: no JSON value starts like this\n", NULL},
    /* form feed is no white space */
    {"[\x0c{}]", "refused syntax at 1, in event 0, last end 0: no JSON value starts like this\n",
     "refused syntax at 1, before event 0, last end 0: control character\n"},
};

#endif
