/* What `layertrack serve` lets through: its guards as tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "serve/access.h"
#include "serve/open_browser.h"

static void test_token(void **state)
{
    char one[TOKEN_LENGTH + 1], other[TOKEN_LENGTH + 1];
    (void)state;
    assert_true(access_make_token(one) && access_make_token(other));
    assert_int_equal(strlen(one), TOKEN_LENGTH);
    assert_int_equal(strspn(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), TOKEN_LENGTH);
    assert_string_not_equal(one, other);
}

static void test_host(void **state)
{
    (void)state;
    assert_true(access_host("127.0.0.1:80", 80) && access_host("localhost:65535", 65535));
    assert_true(access_host("127.0.0.1", 80) && access_host("localhost", 80));
    assert_false(access_host("127.0.0.1", 8080) || access_host("localhost", 79));
    static const char *const wrong[] = {"",
                                        "127.0.0.",
                                        "127.0.0.1:",
                                        "localhost.",
                                        "127.0.0.1.evil",
                                        "127.0.0.1:8",
                                        "127.0.0.1:800",
                                        "127.0.0.1:80 ",
                                        "localhost:080",
                                        "Localhost:80",
                                        "127.0.0.1:80.evil",
                                        "evil:80",
                                        "[::1]:80"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(access_host(wrong[i], 80));
}

static void test_method(void **state)
{
    (void)state;
    assert_true(access_method("GET") && access_method("HEAD"));
    assert_false(access_method("POST") || access_method("get") || access_method("") || access_method("GET "));
}

static void test_path(void **state)
{
    static const char token[] = "abcdefghijklmnopqrstuvwxyz012345";
    (void)state;
    assert_string_equal(access_path("/abcdefghijklmnopqrstuvwxyz012345/", token), "");
    assert_string_equal(access_path("/abcdefghijklmnopqrstuvwxyz012345/a/b", token), "a/b");
    static const char *const wrong[] = {"",
                                        "/",
                                        "//",
                                        "/abcdefghijklmnopqrstuvwxyz012345",
                                        "abcdefghijklmnopqrstuvwxyz012345/",
                                        "/abcdefghijklmnopqrstuvwxyz012346/",
                                        "/bbcdefghijklmnopqrstuvwxyz012345/",
                                        "/abcdefghijklmnopqrstuvwxyz0123456/",
                                        "/abcdefghijklmnopqrstuvwxyz01234/"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(access_path(wrong[i], token));
}

static void test_names(void **state)
{
    (void)state;
    assert_true(access_names("index.html") && access_names("v1.0-abc/x_y.wasm") && access_names("a+b@c"));
    static const char *const wrong[] = {"",   "/",    "/a",  "a/",   "a//b", ".",   "..",  "../a",  "a/..", "a/./b",
                                        ".a", "a/.b", "a b", "a%2e", "a\\b", "a:b", "a?b", "a\x80", "a\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(access_names(wrong[i]));
}

static void test_ui_url(void **state)
{
    char origin[64];
    (void)state;
    assert_true(access_ui_url("https://ui.perfetto.dev/", origin, sizeof origin));
    assert_string_equal(origin, "https://ui.perfetto.dev");
    assert_true(access_ui_url("http://10.0.0.1:10000/a/b-c_d~e.f/", origin, sizeof origin));
    assert_string_equal(origin, "http://10.0.0.1:10000");
    static const char *const right[] = {"http://localhost:65535/", "https://a-1.b2/", "https://1a/",
                                        "https://255.0.0.1/"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_true(access_ui_url(right[i], origin, sizeof origin));
    char url[128], wide[128], label[65];
    memset(label, 'a', sizeof label);
    for (int len = 63; len <= 64; len++) {
        snprintf(url, sizeof url, "https://%.*s.b/", len, label);
        assert_int_equal(access_ui_url(url, wide, sizeof wide), len == 63);
    }
    static const char *const wrong[] = {"",
                                        "https://",
                                        "https:///",
                                        "http://a",
                                        "ftp://a/",
                                        "HTTPS://a/",
                                        "https://a/b",
                                        "https://a:/",
                                        "https://a:123456/",
                                        "https://a:65536/",
                                        "https://a:0/",
                                        "https://a..b/",
                                        "https://a./",
                                        "https://999.999.999.999/",
                                        "https://10.0.0.256/",
                                        "https://10.0.1/",
                                        "https://1/",
                                        "https://a.1/",
                                        "https://a.0x1/",
                                        "https://a@b/",
                                        "https://a/?/",
                                        "https://a/#/",
                                        "https://a/;/",
                                        "https://a/'/",
                                        "https://a b/",
                                        "https://-a/",
                                        "https://.a/",
                                        "https://[::1]/",
                                        "https://a,b/",
                                        "https://a/\n/"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(access_ui_url(wrong[i], origin, sizeof origin));
    assert_false(access_ui_url("https://ui.perfetto.dev/", origin, 23));
    assert_true(access_ui_url("https://ui.perfetto.dev/", origin, 24));
}

static void test_ssh(void **state)
{
    char out[256];
    (void)state;
    assert_true(open_browser_ssh(out, sizeof out, "1.2.3.4 5 10.0.0.5 22", "ada", 8000, 0));
    assert_string_equal(out, "ssh -N -L 8000:127.0.0.1:8000 ada@10.0.0.5");
    assert_true(open_browser_ssh(out, sizeof out, "1.2.3.4 5 10.0.0.5 2222", NULL, 8000, 8001));
    assert_string_equal(out, "ssh -N -L 8000:127.0.0.1:8000 -L 8001:127.0.0.1:8001 -p 2222 10.0.0.5");
    assert_true(open_browser_ssh(out, sizeof out, "1.2.3.4 5 10.0.0.5 22", "a b", 8000, 0));
    assert_string_equal(out, "ssh -N -L 8000:127.0.0.1:8000 10.0.0.5");
    assert_true(open_browser_ssh(out, sizeof out, "fe80::1 5 fe80::2%eth0 65535", "", 8000, 0));
    assert_string_equal(out, "ssh -N -L 8000:127.0.0.1:8000 -p 65535 fe80::2%eth0");
    static const char *const odd[] = {"a b c d",        "1.2.3.4 5 host 22",    "1.2.3.4 5 10.0.0.5 x",
                                      "1 5 10.0.0.5 0", "1 5 10.0.0.5 65536",   "1 5 10.0.0.256 22",
                                      "1 5 ::1%;id 22", "1 5 10.0.0.5%eth0 22", "1 5 10.0.0.5 -1"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_false(open_browser_ssh(out, sizeof out, odd[i], "ada", 8000, 0));
    assert_false(open_browser_ssh(out, sizeof out, NULL, "ada", 8000, 0));
    assert_false(open_browser_ssh(out, sizeof out, "1.2.3.4 5", "ada", 8000, 0));
    assert_false(open_browser_ssh(out, sizeof out, "1.2.3.4 5 -oX 22", "ada", 8000, 0));
    assert_false(open_browser_ssh(out, sizeof out, "1.2.3.4 5 `id` 22", "ada", 8000, 0));
    assert_false(open_browser_ssh(out, 20, "1.2.3.4 5 10.0.0.5 22", "ada", 8000, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token), cmocka_unit_test(test_host),  cmocka_unit_test(test_method),
        cmocka_unit_test(test_path),  cmocka_unit_test(test_names), cmocka_unit_test(test_ui_url),
        cmocka_unit_test(test_ssh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
