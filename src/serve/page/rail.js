/*
 * The rail: tracks, in each its passes, in one pass of each its layers. Only
 * the rows in sight are elements; where a row is follows from counts alone, so
 * a report of a hundred thousand guides scrolls as one of ten.
 */
import {milliseconds, plural} from './format.js';
import {oncePerFrame} from './frame.js';
import {passOf} from './report.js';

const ROW = 26;

export class Rail {
  /**
   * `heading` says what the numbers are. `choose(track, pass, guide)`: numbers; guide is -1 for a whole pass. `again` is
   * called on Enter.
   */
  constructor(element, heading, report, choose, again) {
    Object.assign(this, {element, heading, report, choose, again});
    this.later = oncePerFrame(() => this.draw());
    this.open = report.tracks.map(() => true);
    this.openPass = report.tracks.map((track) => (track.passes.length > 0 ? 0 : -1));
    this.cursor = 0;
    this.rows = document.createElement('div');
    this.rows.className = 'rows';
    this.rows.setAttribute('role', 'presentation');
    element.append(this.rows);
    element.addEventListener('scroll', () => this.later());
    element.addEventListener('keydown', (event) => this.key(event));
    element.addEventListener('click', (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(element);
    this.setValue('start');
  }

  /** As in the table: 'start' or 'duration'. */
  setValue(value) {
    this.value = value;
    this.heading.textContent = value === 'start' ? 'start, ms' : 'length, ms';
    this.draw();
  }

  layersOf(track) {
    const pass = this.report.tracks[track].passes[this.openPass[track]];
    return pass === undefined ? 0 : pass.to - pass.from;
  }

  length(track) {
    return 1 + (this.open[track] ? this.report.tracks[track].passes.length + this.layersOf(track) : 0);
  }

  total() {
    return this.report.tracks.reduce((sum, _, track) => sum + this.length(track), 0);
  }

  /** What row n is: {track, pass, guide}, -1 where it is above that level. */
  at(n) {
    let track = 0;
    for (; n >= this.length(track); track++)
      n -= this.length(track);
    if (n === 0)
      return {track, pass: -1, guide: -1};
    const open = this.openPass[track];
    const layers = this.layersOf(track);
    n -= 1;
    if (open < 0 || n <= open)
      return {track, pass: n, guide: -1};
    if (n <= open + layers)
      return {track, pass: open, guide: this.report.tracks[track].passes[open].from + n - open - 1};
    return {track, pass: n - layers, guide: -1};
  }

  /** The reverse; opens what hides the row. */
  find({track, pass, guide}) {
    let n = 0;
    for (let before = 0; before < track; before++)
      n += this.length(before);
    if (pass < 0)
      return n;
    this.open[track] = true;
    if (guide >= 0)
      this.openPass[track] = pass;
    const open = this.openPass[track];
    n += 1 + pass + (open >= 0 && pass > open ? this.layersOf(track) : 0);
    return guide < 0 ? n : n + 1 + guide - this.report.tracks[track].passes[pass].from;
  }

  /** Follows a selection that was made elsewhere. */
  show(selection) {
    this.cursor = this.find(selection);
    this.reveal();
  }

  reveal() {
    const top = this.cursor * ROW;
    const {scrollTop, clientHeight} = this.element;
    if (top < scrollTop)
      this.element.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight)
      this.element.scrollTop = top + ROW - clientHeight;
    this.draw();
  }

  move(n) {
    this.cursor = Math.max(0, Math.min(this.total() - 1, n));
    const row = this.at(this.cursor);
    this.reveal();
    if (row.pass >= 0)
      this.choose(row.track, row.pass, row.guide);
  }

  expanded(row) {
    if (row.guide >= 0)
      return null;
    return row.pass < 0 ? this.open[row.track] : this.openPass[row.track] === row.pass;
  }

  toggle(row, open) {
    if (row.pass < 0)
      this.open[row.track] = open;
    else
      this.openPass[row.track] = open ? row.pass : -1;
    this.cursor = this.find(row);
    this.reveal();
  }

  left(row) {
    if (row.guide >= 0)
      this.move(this.find({...row, guide: -1}));
    else if (this.expanded(row))
      this.toggle(row, false);
    else if (row.pass >= 0)
      this.move(this.find({...row, pass: -1}));
  }

  right(row) {
    if (this.expanded(row) === false)
      this.toggle(row, true);
    else if (row.guide < 0)
      this.move(this.cursor + 1);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey)
      return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const row = this.at(this.cursor);
    const actions = {
      ArrowUp: () => this.move(this.cursor - 1),
      ArrowDown: () => this.move(this.cursor + 1),
      PageUp: () => this.move(this.cursor - page),
      PageDown: () => this.move(this.cursor + page),
      Home: () => this.move(0),
      End: () => this.move(this.total() - 1),
      ArrowLeft: () => this.left(row),
      ArrowRight: () => this.right(row),
      Enter: () => (row.guide >= 0 ? this.again() : this.toggle(row, !this.expanded(row))),
    };
    if (actions[event.key] === undefined)
      return;
    event.preventDefault();
    actions[event.key]();
  }

  click(event) {
    const element = event.target.closest('[data-row]');
    if (element === null)
      return;
    const n = Number(element.dataset.row);
    const row = this.at(n);
    const wasHere = this.cursor === n;
    this.cursor = n;
    if (row.guide < 0 && (event.target.closest('.twist') !== null || wasHere || !this.expanded(row)))
      this.toggle(row, !this.expanded(row));
    this.move(this.cursor);
  }

  words(row) {
    const track = this.report.tracks[row.track];
    if (row.pass < 0)
      return [track.name, plural(track.count, 'guide')];
    const pass = track.passes[row.pass];
    const [name, first, last] = row.guide < 0 ? [`Pass ${pass.index}`, pass.from, pass.to - 1] :
      [`L${track.layer[row.guide]}`, row.guide, row.guide];
    return [name, milliseconds(this.value === 'start' ? track.relativeStart[first] : (track.end[last] - track.start[first]) / 1000)];
  }

  render(n) {
    const row = this.at(n);
    const level = row.pass < 0 ? 1 : row.guide < 0 ? 2 : 3;
    const track = this.report.tracks[row.track];
    const pass = track.passes[row.pass];
    const size = [this.report.tracks.length, track.passes.length, pass === undefined ? 0 : pass.to - pass.from][level - 1];
    const place = [row.track, row.pass, row.guide - (pass === undefined ? 0 : pass.from)][level - 1];
    const element = document.createElement('div');
    element.className = `row level${level}`;
    element.id = `row-${n}`;
    element.dataset.row = n;
    element.style.transform = `translateY(${n * ROW}px)`;
    element.setAttribute('role', 'treeitem');
    element.setAttribute('aria-level', level);
    element.setAttribute('aria-setsize', size);
    element.setAttribute('aria-posinset', place + 1);
    element.setAttribute('aria-selected', n === this.cursor);
    const expanded = this.expanded(row);
    if (expanded !== null)
      element.setAttribute('aria-expanded', expanded);
    const twist = document.createElement('span');
    twist.className = 'twist';
    twist.textContent = expanded === null ? '' : expanded ? '▾' : '▸';
    twist.setAttribute('aria-hidden', 'true');
    const [name, time] = this.words(row).map((word, i) => {
      const span = document.createElement('span');
      span.className = i === 0 ? 'name' : 'time';
      span.textContent = word;
      return span;
    });
    name.title = name.textContent;
    element.append(twist, name, time);
    return element;
  }

  draw() {
    const total = this.total();
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 4);
    const last = Math.min(total, Math.ceil((this.element.scrollTop + this.element.clientHeight) / ROW) + 4);
    this.rows.style.height = `${total * ROW}px`;
    const elements = [];
    for (let n = first; n < last; n++)
      elements.push(this.render(n));
    this.rows.replaceChildren(...elements);
    this.element.setAttribute('aria-activedescendant', `row-${this.cursor}`);
  }

  /** A guide's row, as show() wants it. */
  rowOf(track, guide) {
    return {track, pass: passOf(this.report.tracks[track], guide), guide};
  }
}
