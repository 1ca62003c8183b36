/*
 * The mapping report as the page uses it: typed arrays, so that a hundred
 * thousand guides are a few megabytes and drawing reads them in order.
 *
 * A track is {phase, name, evidence, pid, device, anchorRegex, passes,
 * longestPass, columns, count, layer, start, end, relativeStart}: guide i is
 * called `L${layer[i]}`, lies from start[i] to end[i] (whole microseconds as in
 * the trace) and begins relativeStart[i] milliseconds after the trace. passes[p]
 * is {index, from, to}: its guides are from <= i < to, by layer. columns are the
 * layers that any pass has.
 */

const NOT_ONE = 'The report is not one that layertrack writes';

/* annotate writes times of 64 bits, and the distances between such. */
const FARTHEST = 2 ** 64;

function requireThat(condition, what) {
  if (!condition)
    throw new Error(`${NOT_ONE}: ${what}.`);
}

function text(value) {
  return typeof value === 'string' ? value : '';
}

function isTime(us) {
  return typeof us === 'number' && Math.abs(us) <= FARTHEST;
}

/** Shows a pid or device as the trace has it: 7 and "7" differ. */
function identity(value) {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function readRow(track, row, i) {
  const where = `layers[${i}]`;
  requireThat(row !== null && typeof row === 'object', `${where} is no object`);
  requireThat(Number.isSafeInteger(row.layer_id) && row.layer_id >= 0, `${where} has no layer_id`);
  requireThat(Number.isSafeInteger(row.pass_index) && row.pass_index >= 0, `${where} has no pass_index`);
  const start = row.guide_start_us;
  const end = row.guide_end_us;
  requireThat(isTime(start) && isTime(end) && start <= end, `${where} has no span`);
  requireThat(i === 0 || start >= track.end[i - 1], `${where} begins before the one in front of it ends`);
  requireThat(typeof row.start_relative_ms === 'number' && isTime(row.start_relative_ms * 1000), `${where} has no start_relative_ms`);
  track.layer[i] = row.layer_id;
  track.start[i] = start;
  track.end[i] = end;
  track.relativeStart[i] = row.start_relative_ms;
  const last = track.passes[track.passes.length - 1];
  if (last === undefined || last.index !== row.pass_index) {
    track.passes.push({index: row.pass_index, from: i, to: i + 1});
  } else {
    requireThat(track.layer[i - 1] < row.layer_id, `${where} has no greater layer_id than the one in front of it`);
    last.to = i + 1;
  }
}

function readTrack(json) {
  requireThat(json !== null && typeof json === 'object' && Array.isArray(json.layers), 'there are no layers');
  const rows = json.layers;
  const track = {
    phase: text(json.phase),
    evidence: text(json.evidence),
    name: text(json.phase) || text(json.track_name),
    anchorRegex: text(json.anchor_regex),
    pid: identity(json.pid),
    device: identity(json.device),
    passes: [],
    count: rows.length,
    layer: new Float64Array(rows.length),
    start: new Float64Array(rows.length),
    end: new Float64Array(rows.length),
    relativeStart: new Float64Array(rows.length),
  };
  for (let i = 0; i < rows.length; i++)
    readRow(track, rows[i], i);
  track.columns = Float64Array.from(new Set(track.layer)).sort();
  track.longestPass = track.passes.reduce((most, pass) => Math.max(most, pass.to - pass.from), 0);
  return track;
}

/**
 * A report of one track or of several. Throws an Error whose message can be shown.
 * Besides tracks: notice, sourceFile (what was annotated), origin (start of the trace, in microseconds), base
 * and span (first start, and from there to the last end), unpackedBytes (of the
 * annotated trace; null when the report does not tell).
 */
export function readReport(json) {
  requireThat(json !== null && typeof json === 'object' && !Array.isArray(json), 'it is no object');
  requireThat(json.schema_version === 1, 'its schema_version is not 1');
  requireThat(!Array.isArray(json.tracks) || json.tracks.length > 0, 'there are no tracks');
  requireThat(json.trace_origin_us === undefined || isTime(json.trace_origin_us), 'its trace_origin_us is no time');
  const tracks = (Array.isArray(json.tracks) ? json.tracks : [json]).map(readTrack);
  const full = tracks.filter((track) => track.count > 0);
  const base = full.reduce((least, track) => Math.min(least, track.start[0]), Infinity);
  const end = full.reduce((most, track) => Math.max(most, track.end[track.count - 1]), -Infinity);
  const unpacked = json.source_bytes + json.insert_bytes;
  return {
    tracks,
    notice: text(json.notice),
    sourceFile: text(json.source_file),
    base: full.length > 0 ? base : 0,
    span: full.length > 0 ? end - base : 0,
    origin: json.trace_origin_us ?? (full.length > 0 ? base : 0),
    unpackedBytes: Number.isSafeInteger(unpacked) ? unpacked : null,
  };
}

/** How far apart doubles are at a time of this size. */
export function grain(us) {
  return 2 ** Math.max(-1074, Math.floor(Math.log2(Math.abs(us))) - 52);
}

/** The first i >= from of a sorted array (or its end, `to`) with values[i] >= wanted. */
export function lowerBound(values, to, wanted, from = 0) {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** The number in `passes` of the pass that guide i belongs to. */
export function passOf(track, i) {
  let low = 0;
  let high = track.passes.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.passes[middle].to <= i)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** The guide of the same layer in another pass, or of the next one that it has. */
export function inPass(track, i, pass) {
  const {from, to} = track.passes[pass];
  return Math.min(lowerBound(track.layer, to, track.layer[i], from), to - 1);
}
