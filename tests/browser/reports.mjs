/* Reports as annotate writes them, of any shape, with lengths that differ from guide to guide. */

const NOTICE = "Navigation aid from an anchor's start to the next anchor's start: not the full layer, not ownership of the kernels " +
  'beneath it, not a latency.';

function layersOf({passes, layers, start = 4203669603771, origin = start - 1234, point = false}, shift) {
  const rows = [];
  let at = start + shift;
  for (let pass = 0; pass < passes; pass++) {
    for (let layer = 0; layer < layers; layer++) {
      const length = point && layer === layers - 1 ? 0 : 120 + (rows.length * 7919) % 141;
      const end = at + length;
      rows.push({
        pass_index: pass, layer_id: layer, anchor_index: rows.length, anchor_name: 'rotary', anchor_tid: 7, start_us: at, end_us: end,
        guide_start_us: at, guide_end_us: end, start_relative_ms: (at - origin) / 1000, end_relative_ms: (end - origin) / 1000,
        boundary_kind: length === 0 ? 'anchor_point_only' : 'next_layer_anchor',
      });
      at = end;
    }
    at += 2000 + (pass * 131) % 500;
  }
  return rows;
}

export function makeReport(shape) {
  const track = (phase, number) => ({
    phase, evidence: 'made', pid: 7, device: 0, guide_tid: 1000000 + number, track_name: `Layer guide (${phase}) — anchor intervals`,
    anchor_regex: 'rotary', end_anchor_regex: null, anchor_offset: 0, matching_anchor_count: shape.passes * shape.layers,
    num_layers: shape.layers, first_layer: 0, passes: shape.passes, layers: layersOf(shape, number * 60),
  });
  const rest = {original_event_count: 0, added_event_count: 0, trace_origin_us: shape.origin ?? (shape.start ?? 4203669603771) - 1234, source_sha256: '',
                source_file: 'made.json', source_bytes: 19, insert_offset: 17, insert_bytes: 0, tool_version: '0.1.0'};
  const head = {schema_version: 1, notice: NOTICE};
  if (shape.tracks === undefined)
    return {...head, ...track('decode', 0), ...rest};
  return {...head, tracks: shape.tracks.map(track), ...rest};
}
