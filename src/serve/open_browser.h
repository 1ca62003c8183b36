/*
 * open_browser.h - how the user's browser gets to the page
 */
#ifndef SERVE_OPEN_BROWSER_H
#define SERVE_OPEN_BROWSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * On a host that was logged into through ssh: the command that, typed at home,
 * forwards the ports (the second one unless it is 0). False when
 * this is no such host. `connection` is what SSH_CONNECTION says, `user` who is logged in.
 */
bool open_browser_ssh(char *out, size_t size, const char *connection, const char *user, uint16_t port, uint16_t second);

/* Starts the desktop's browser, without a shell. False when it cannot be started; how it ends nobody hears. */
bool open_browser(const char *url);

#endif
