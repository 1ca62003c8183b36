/*
 * rank.h - which rank of a distributed job a trace is
 *
 * Pure. A trace's own word (`distributedInfo.rank`) counts most, then its
 * file's name, then the folder it is in. What none of them says is not known:
 * never 0 for want of a number.
 */
#ifndef RANK_H
#define RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that is not told. Those that are told are at most 2^31 - 1. */
#define RANK_NONE (-1)

enum rank_source { RANK_UNKNOWN, RANK_FROM_NAME, RANK_FROM_FOLDER, RANK_FROM_CONTENT };

/* Axes of parallelism, in the order in which they are shown. */
enum rank_axis { RANK_TP, RANK_DP, RANK_PP, RANK_EP, RANK_AXES };

struct rank {
    int64_t number;          /* or RANK_NONE */
    int64_t axes[RANK_AXES]; /* each a number or RANK_NONE: a label beside the rank, and in place of one */
    int64_t world_size;      /* or RANK_NONE */
    int64_t named;           /* the number of name or folder that the trace's own word overruled; else RANK_NONE */
    enum rank_source source; /* of `number` */
    bool ambiguous;          /* the name tells two ranks, hence none */
};

/*
 * By the file's name and, for what that does not tell, its folder (of
 * ASCEND_PROFILER_OUTPUT, the folder above). Upper and lower case are alike.
 *
 *   rank   `rank` and digits, at once or behind one of [ _ - . , no letter
 *          before or behind. `tp_rank3` is an axis; `local_rank3`,
 *          `node_rank3`, `lora_rank3` and their like are none.
 *          Else `worker` and digits at once, unless it is a host's name as
 *          tensorboard_trace_handler() writes it (worker3_PID.NS.pt.trace.json).
 *          Else, of a name, not of a folder: `r` and digits and `-` at its start.
 *   axes   TP, DP, PP, EP and digits in the same way, no digit before either
 *          (tp2pp4 are sizes); `ep3-ba7` is Composer's epoch and batch.
 *
 * Two different numbers for one of them are none. A number of more than 2^31 - 1 is none.
 */
struct rank rank_of_path(const char *path);

/*
 * `named` and what stands in the trace, each RANK_NONE where it does not; of
 * a rank below 0 or beyond 2^31 - 1 nothing is taken.
 */
struct rank rank_with_content(struct rank named, int64_t number, int64_t world_size);

/*
 * Whether a process is one rank's in a merge of several, as SGLang writes them
 * ("[TP01-DP00] 4242"): of which rank is *rank. Numbers of merged traces are all
 * of this form, so that two processes with different labels make a merge.
 */
bool rank_of_merged_pid(const char *pid, size_t len, struct rank *rank);

#define RANK_TEXT_SIZE 64

/* The axes as `TP1 PP0`; "" for none. Returns `out`. */
const char *rank_label(const struct rank *rank, char out[RANK_TEXT_SIZE]);

/* What a rank is called: its number, else its label, else "". Returns `out`. */
const char *rank_text(const struct rank *rank, char out[RANK_TEXT_SIZE]);

#endif
