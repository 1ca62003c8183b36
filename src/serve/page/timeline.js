/*
 * The guides, drawn to scale on a canvas: an axis, and for each track its
 * passes and its guides. What is in view is found by bisection, and guides
 * narrower than some pixels are drawn as one block, so drawing takes time
 * by the width of the canvas and the guides in view, not by their number.
 *
 * Times are microseconds from the report's base, which keeps them small enough
 * to be exact whatever the clock of the trace.
 */
import {count} from './format.js';
import {oncePerFrame} from './frame.js';
import {grain, inPass, lowerBound, passOf} from './report.js';

const AXIS = 24;
const LANE = 50;
const BAND = 16; /* of a lane: the passes */
const OVERVIEW = 12;
const MARGIN = 10;
const MERGED = 3;    /* px: narrower guides become blocks */
const LEAST_SPAN = 2; /* µs */
const LEAST_STEP = 0.001;

const COLORS = ['--text', '--quiet', '--line', '--surface', '--guide-a', '--guide-b', '--guide-text', '--block', '--accent',
                '--accent-text', '--band'];

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= least * 0.999999);
}

function tick(us, step) {
  const [unit, size] = step >= 1e6 ? ['s', 1e6] : step >= 1000 ? ['ms', 1000] : step >= 1 ? ['ms', 1000] : ['µs', 1];
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / size) - 1e-9)));
  const [whole, fraction] = Math.abs(us / size).toFixed(digits).split('.');
  return `${us < 0 ? '−' : ''}${count(whole)}${fraction === undefined ? '' : `.${fraction}`} ${unit}`;
}

export class Timeline {
  /** `hover(track, guide)`: guide -1 when the pointer is on none. */
  constructor(canvas, report, choose, hover, again) {
    Object.assign(this, {canvas, report, choose, hover, again});
    this.later = oncePerFrame(() => this.draw());
    this.context = canvas.getContext('2d');
    this.selection = {track: 0, pass: 0, guide: -1};
    this.left = 0;
    this.span = 1;
    this.labels = new Map();
    this.limit();
    this.all();
    canvas.addEventListener('keydown', (event) => this.key(event));
    canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', () => { this.drag = null; });
    canvas.addEventListener('pointerleave', () => this.hover(0, -1));
    canvas.addEventListener('dblclick', () => this.pass());
    for (const event of ['focus', 'blur'])
      canvas.addEventListener(event, () => this.later());
    for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'])
      matchMedia(query).addEventListener('change', () => this.restyle());
    canvas.style.height = `${this.height()}px`;
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.restyle();
  }

  height() {
    return AXIS + this.report.tracks.length * LANE + OVERVIEW + 6;
  }

  restyle() {
    const style = getComputedStyle(this.canvas);
    this.color = Object.fromEntries(COLORS.map((name) => [name.slice(2), style.getPropertyValue(name).trim()]));
    this.font = `12px ${style.fontFamily}`;
    this.labels.clear();
    this.later();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height() * ratio);
    this.ratio = ratio;
    this.draw();
  }

  /* ---- the view ------------------------------------------------------------------------------------------------- */

  /** How far one can zoom in: to steps of the axis, and guides, that doubles can still tell apart. */
  limit() {
    const {base, span, origin} = this.report;
    const far = Math.abs(base - origin) + span;
    this.leastStep = Math.max(LEAST_STEP, 2 * grain(far));
    this.leastSpan = Math.max(LEAST_SPAN, 16 * this.leastStep, 16 * grain(Math.abs(base) + span));
  }

  /** From `left` on, `span` long; kept within the guides and a little around them. */
  view(left, span) {
    const whole = this.whole();
    this.span = Math.min(whole, Math.max(this.leastSpan, span));
    const edge = (whole - this.report.span) / 2;
    this.left = Math.max(-edge, Math.min(this.report.span + edge - this.span, left));
    this.tell();
    this.later();
  }

  whole() {
    return Math.max(this.report.span * 1.02, this.leastSpan);
  }

  all() {
    this.view(-this.report.span, this.report.span * 2);
  }

  zoom(factor, at) {
    const center = at === undefined ? this.middle() : at;
    const span = Math.min(this.whole(), Math.max(this.leastSpan, this.span * factor));
    this.view(center - (center - this.left) * span / this.span, span);
  }

  /** What keys zoom about: the selection where it is in view. */
  middle() {
    const range = this.range();
    if (range !== null && range.end >= this.left && range.start <= this.left + this.span)
      return (range.start + range.end) / 2;
    return this.left + this.span / 2;
  }

  pass() {
    const track = this.report.tracks[this.selection.track];
    const pass = track.passes[Math.max(0, this.selection.pass)];
    if (pass === undefined)
      return;
    const start = track.start[pass.from] - this.report.base;
    const end = track.end[pass.to - 1] - this.report.base;
    const room = Math.max((end - start) * 0.02, LEAST_SPAN);
    this.view(start - room, end - start + 2 * room);
  }

  range() {
    const {track: number, pass, guide} = this.selection;
    const track = this.report.tracks[number];
    if (guide >= 0)
      return {start: track.start[guide] - this.report.base, end: track.end[guide] - this.report.base};
    if (track.passes[pass] === undefined)
      return null;
    const {from, to} = track.passes[pass];
    return {start: track.start[from] - this.report.base, end: track.end[to - 1] - this.report.base};
  }

  show(selection) {
    this.selection = selection;
    const range = this.range();
    if (range !== null && (range.start < this.left || range.end > this.left + this.span) &&
        range.end - range.start <= this.span)
      this.view((range.start + range.end - this.span) / 2, this.span);
    else if (range !== null && (range.end < this.left || range.start > this.left + this.span))
      this.view(range.start, this.span);
    this.tell();
    this.later();
  }

  tell() {
    const from = this.left + this.report.base - this.report.origin;
    const step = this.span / 100;
    this.canvas.setAttribute('aria-label', `Guides from ${tick(from, step)} to ${tick(from + this.span, step)}`);
  }

  /* ---- drawing -------------------------------------------------------------------------------------------------- */

  x(us) {
    return MARGIN + (us - this.left) * this.scale;
  }

  time(x) {
    return this.left + (x - MARGIN) / this.scale;
  }

  label(text) {
    let width = this.labels.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      this.labels.set(text, width);
    }
    return width;
  }

  draw() {
    if (!this.width)
      return;
    const c = this.context;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.font = this.font;
    c.textBaseline = 'middle';
    c.fillStyle = this.color.surface;
    c.fillRect(0, 0, this.width, this.height());
    this.scale = Math.max(1, this.width - 2 * MARGIN) / this.span;
    this.drawAxis();
    c.save();
    c.beginPath();
    c.rect(MARGIN, 0, this.width - 2 * MARGIN, this.height());
    c.clip();
    this.report.tracks.forEach((track, number) => this.drawTrack(track, number));
    c.restore();
    this.drawOverview();
  }

  drawAxis() {
    const c = this.context;
    const step = niceStep(Math.max(this.span / Math.max(2, this.width / 130), this.leastStep));
    const offset = this.report.base - this.report.origin;
    const first = Math.ceil((this.left + offset) / step);
    const start = first * step - offset;
    const last = Math.min(this.width, Math.floor((this.left + this.span - start) / step));
    c.fillStyle = this.color.quiet;
    c.strokeStyle = this.color.line;
    c.beginPath();
    for (let i = 0; i <= last; i++) {
      const x = Math.round(this.x(start + i * step)) + 0.5;
      c.moveTo(x, AXIS - 6);
      c.lineTo(x, AXIS - 2);
      /* Beside the names of passes, not through them. */
      for (let lane = 0; lane < this.report.tracks.length; lane++) {
        c.moveTo(x, AXIS + lane * LANE + BAND);
        c.lineTo(x, AXIS + (lane + 1) * LANE);
      }
      const text = tick((first + i) * step, step);
      if (x + 4 + this.label(text) < this.width)
        c.fillText(text, x + 4, 10);
    }
    c.stroke();
  }

  drawTrack(track, number) {
    const top = AXIS + number * LANE;
    const {base} = this.report;
    const from = lowerBound(track.end, track.count, this.left + base);
    const past = lowerBound(track.start, track.count, this.left + this.span + base);
    this.drawPasses(track, top, from, past);
    const selected = this.selection.track === number ? this.selection.guide : -1;
    const blocks = [];
    for (let i = from; i < past; i++) {
      const x0 = this.x(track.start[i] - base);
      const x1 = this.x(track.end[i] - base);
      const run = blocks[blocks.length - 1];
      if (x1 - x0 >= MERGED)
        this.guide(track.layer[i], x0, x1, top, i === selected);
      else if (run === undefined || run.last < i - 1 || x0 > run.end + 1)
        blocks.push({start: x0, end: x1, first: i, last: i});
      else
        Object.assign(run, {end: x1, last: i});
    }
    blocks.forEach((run) => this.block(run, top));
    blocks.filter((run) => run.first === run.last).forEach((run) => this.nameBeside(track, run.first, top, selected));
    if (selected >= 0)
      this.mark(this.x(track.start[selected] - base), this.x(track.end[selected] - base), top);
  }

  /**
   * Names a guide that is too narrow for it: behind it where there is room, or else in front, where the guide before is wide
   * enough for both names.
   */
  nameBeside(track, i, top, selected) {
    const c = this.context;
    const {base} = this.report;
    const [x0, x1] = [this.x(track.start[i] - base), this.x(track.end[i] - base)];
    const before = i > 0 ? {start: this.x(track.start[i - 1] - base), end: this.x(track.end[i - 1] - base)} : null;
    const next = i + 1 < track.count ? this.x(track.start[i + 1] - base) : Infinity;
    const text = `L${track.layer[i]}`;
    const y = top + BAND + (LANE - BAND - 8) / 2;
    const touches = before !== null && x0 - before.end < 1;
    if (x0 < MARGIN)
      return;
    if (Math.min(next, this.width - MARGIN) - x1 > this.label(text) + 8) {
      c.fillStyle = this.color.text;
      c.fillText(text, x1 + 4, y);
    } else if (touches && x0 - Math.max(MARGIN, before.start) > this.label(text) + this.label(`L${track.layer[i - 1]}`) + 16) {
      c.fillStyle = this.color[i - 1 === selected ? 'accent-text' : 'guide-text'];
      c.fillText(text, x0 - this.label(text) - 4, y);
    }
  }

  drawPasses(track, top, from, past) {
    if (from >= past)
      return;
    const c = this.context;
    const {base} = this.report;
    const first = passOf(track, from);
    const last = passOf(track, past - 1);
    let drawn = -Infinity;
    for (let p = first; p <= last; p++) {
      const pass = track.passes[p];
      const x0 = this.x(track.start[pass.from] - base);
      const x1 = Math.max(x0 + 1, this.x(track.end[pass.to - 1] - base));
      if (x1 < drawn + 1)
        continue;
      c.fillStyle = this.color.band;
      c.fillRect(Math.max(x0, drawn), top, Math.max(1, x1 - Math.max(x0, drawn) - 1), BAND - 3);
      drawn = x1;
      const visible = Math.max(MARGIN, x0);
      const room = Math.min(x1, this.width - MARGIN) - visible - 8;
      const name = `Pass ${pass.index}`;
      const text = [track.phase ? `${name} · ${track.phase}` : name, name, String(pass.index)].find((t) => this.label(t) < room);
      c.fillStyle = this.color.text;
      if (text !== undefined)
        c.fillText(text, visible + 4, top + BAND / 2 - 1);
    }
  }

  block(run, top) {
    this.context.fillStyle = this.color.block;
    this.context.fillRect(run.start, top + BAND, Math.max(1, run.end - run.start), LANE - BAND - 8);
  }

  guide(layer, x0, x1, top, selected) {
    const c = this.context;
    c.fillStyle = selected ? this.color.accent : this.color[layer % 2 === 0 ? 'guide-a' : 'guide-b'];
    c.fillRect(x0, top + BAND, Math.max(1, x1 - x0 - 1), LANE - BAND - 8);
    const text = `L${layer}`;
    const visible = Math.max(MARGIN, x0);
    const spare = Math.min(x1 - 1, this.width - MARGIN) - visible - this.label(text);
    if (spare > 2) {
      c.fillStyle = selected ? this.color['accent-text'] : this.color['guide-text'];
      c.fillText(text, visible + Math.min(4, spare / 2), top + BAND + (LANE - BAND - 8) / 2);
    }
  }

  /** The selected guide stays visible when it is narrower than a pixel. */
  mark(x0, x1, top) {
    const c = this.context;
    if (x1 - x0 >= MERGED) {
      c.strokeStyle = this.color.accent;
      c.lineWidth = 2;
      c.strokeRect(x0, top + BAND - 1, x1 - x0 - 1, LANE - BAND - 6);
      c.lineWidth = 1;
      return;
    }
    const x = (x0 + x1) / 2;
    c.fillStyle = this.color.accent;
    c.fillRect(x - 1, top + BAND - 2, 2, LANE - BAND - 4);
    c.beginPath();
    c.moveTo(x - 5, top + BAND - 8);
    c.lineTo(x + 5, top + BAND - 8);
    c.lineTo(x, top + BAND - 1);
    c.fill();
  }

  drawOverview() {
    const c = this.context;
    const whole = Math.max(this.report.span, LEAST_SPAN);
    const width = this.width - 2 * MARGIN;
    const y = this.height() - OVERVIEW;
    c.fillStyle = this.color.line;
    c.fillRect(MARGIN, y + 3, width, 4);
    const start = Math.max(0, this.left / whole);
    const end = Math.min(1, (this.left + this.span) / whole);
    c.fillStyle = this.color.quiet;
    c.fillRect(MARGIN + start * width, y + 3, Math.max(4, (end - start) * width), 4);
  }

  /* ---- pointer and keys ----------------------------------------------------------------------------------------- */

  /** The guide at a place, or the nearest within three pixels; null when there is none. */
  hit(event) {
    const number = Math.floor((event.offsetY - AXIS) / LANE);
    const track = this.report.tracks[number];
    if (track === undefined || track.count === 0)
      return null;
    const at = this.time(event.offsetX) + this.report.base;
    const slack = 3 / this.scale;
    let best = null;
    for (let i = lowerBound(track.end, track.count, at - slack); i < track.count && track.start[i] <= at + slack; i++) {
      const distance = Math.max(track.start[i] - at, at - track.end[i], 0);
      /* Where one guide ends the next begins: the point belongs to the next. */
      if (best === null || distance < best.distance || (distance === 0 && track.start[i] <= at))
        best = {track: number, guide: i, distance};
      if (track.start[i] > at)
        break;
    }
    return best;
  }

  down(event) {
    if (event.button !== 0)
      return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = {x: event.offsetX, left: this.left, far: false};
  }

  moved(event) {
    if (this.drag) {
      const way = event.offsetX - this.drag.x;
      this.drag.far = this.drag.far || Math.abs(way) > 3;
      if (this.drag.far)
        this.view(this.drag.left - way / this.scale, this.span);
      return;
    }
    const found = this.hit(event);
    this.hover(found === null ? 0 : found.track, found === null ? -1 : found.guide);
  }

  up(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.far)
      return;
    const found = this.hit(event);
    if (found !== null)
      this.choose(found.track, passOf(this.report.tracks[found.track], found.guide), found.guide);
  }

  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.view(this.left + (event.deltaX || event.deltaY) * unit / this.scale, this.span);
    else
      this.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * unit)) * 0.002), this.time(event.offsetX));
  }

  step(layers, passes) {
    const {track: number} = this.selection;
    const track = this.report.tracks[number];
    if (track.count === 0)
      return;
    let guide = this.selection.guide;
    if (guide < 0) {
      const pass = track.passes[Math.max(0, this.selection.pass)];
      guide = layers === -1 ? pass.to - 1 : pass.from;
    }
    if (Math.abs(layers) === Infinity) {
      guide = layers < 0 ? 0 : track.count - 1;
    } else if (this.selection.guide >= 0 && passes !== 0) {
      guide = inPass(track, guide, Math.max(0, Math.min(track.passes.length - 1, passOf(track, guide) + passes)));
    } else if (this.selection.guide >= 0) {
      guide = Math.max(0, Math.min(track.count - 1, guide + layers));
    }
    this.choose(number, passOf(track, guide), guide);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey)
      return;
    const actions = {
      ArrowLeft: () => this.step(-1, 0),
      ArrowRight: () => this.step(1, 0),
      ArrowUp: () => this.step(0, -1),
      ArrowDown: () => this.step(0, 1),
      Home: () => this.step(-Infinity, 0),
      End: () => this.step(Infinity, 0),
      PageUp: () => this.view(this.left - this.span * 0.8, this.span),
      PageDown: () => this.view(this.left + this.span * 0.8, this.span),
      '+': () => this.zoom(1 / 1.5),
      '=': () => this.zoom(1 / 1.5),
      '-': () => this.zoom(1.5),
      _: () => this.zoom(1.5),
      0: () => this.all(),
      p: () => this.pass(),
      P: () => this.pass(),
      Enter: () => this.again(),
    };
    if (actions[event.key] === undefined)
      return;
    event.preventDefault();
    actions[event.key]();
  }
}
