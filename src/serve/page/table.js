/*
 * Passes by layers. Rows and columns in sight are elements, no others: a
 * thousand passes of a hundred layers are a hundred thousand cells. The
 * head and the first column stay in sight by position: sticky.
 */
import {milliseconds, plural} from './format.js';
import {oncePerFrame} from './frame.js';
import {inPass, lowerBound, passOf} from './report.js';

const ROW = 26;
const PADDING = 16;
const LEAST = {head: 84, column: 72}; /* px */

export class Table {
  constructor(element, caption, report, choose, again) {
    Object.assign(this, {element, caption, report, choose, again});
    this.later = oncePerFrame(() => this.draw());
    this.track = 0;
    this.value = 'start';
    this.pass = -1;
    this.guide = -1;
    this.inner = document.createElement('div');
    this.inner.className = 'cells';
    this.inner.setAttribute('role', 'presentation');
    element.append(this.inner);
    element.addEventListener('scroll', () => this.later());
    element.addEventListener('keydown', (event) => this.key(event));
    element.addEventListener('click', (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(element);
    this.setTrack(0);
  }

  setTrack(number) {
    this.track = number;
    const track = this.data();
    this.pass = -1;
    this.guide = -1;
    this.element.setAttribute('aria-rowcount', track.passes.length + 1);
    this.element.setAttribute('aria-colcount', track.columns.length + 1);
    const last = track.passes.reduce((most, pass) => Math.max(most, pass.index), 0);
    this.headWidth = Math.max(LEAST.head, this.widthOf(`Pass ${last}`));
    this.setValue(this.value);
  }

  setValue(value) {
    this.value = value;
    const track = this.data();
    this.width = Math.max(LEAST.column, ...this.extremes().map((text) => this.widthOf(text)),
      this.widthOf(`L${track.columns[track.columns.length - 1]}`));
    const what = value === 'start' ? 'start, in ms from the start of the trace' : 'length of the guide, in ms';
    this.caption.textContent =
        `${plural(track.passes.length, 'pass', 'passes')} of ${plural(track.longestPass, 'layer')}: ${what}`;
    this.draw();
  }

  /** The least and the greatest value shown: one of them is the longest. */
  extremes() {
    let [least, most] = [0, 0];
    for (let i = 0; i < this.data().count; i++) {
      least = Math.min(least, this.ms(i));
      most = Math.max(most, this.ms(i));
    }
    return [milliseconds(least), milliseconds(most)];
  }

  /** How wide a cell is that holds this text. */
  widthOf(text) {
    const {fontSize, fontFamily} = getComputedStyle(this.element);
    const context = document.createElement('canvas').getContext('2d');
    context.font = `600 ${fontSize} ${fontFamily}`;
    return Math.ceil(context.measureText(text.replace(/\d/g, '0')).width) + PADDING + 2;
  }

  data() {
    return this.report.tracks[this.track];
  }

  show({track, pass, guide}) {
    if (track !== this.track)
      this.setTrack(track);
    this.pass = pass;
    this.guide = guide;
    if (this.element.clientHeight === 0)
      return this.draw();
    const {scrollTop, scrollLeft, clientHeight, clientWidth} = this.element;
    const top = pass * ROW;
    const height = clientHeight - ROW;
    if (top < scrollTop || top + ROW > scrollTop + height)
      this.element.scrollTop = Math.max(0, top - (height - ROW) / 2);
    const left = this.columnOf(guide) * this.width;
    const width = clientWidth - this.headWidth;
    if (guide >= 0 && (left < scrollLeft || left + this.width > scrollLeft + width))
      this.element.scrollLeft = Math.max(0, left - (width - this.width) / 2);
    return this.draw();
  }

  columnOf(guide) {
    const {columns, layer} = this.data();
    return guide < 0 ? -1 : lowerBound(columns, columns.length, layer[guide]);
  }

  go(guide) {
    this.choose(this.track, passOf(this.data(), guide), guide);
  }

  /** Moves by rows and columns; stays within the table. From the head of a row one moves to heads, or into the row. */
  move(rows, columns) {
    const track = this.data();
    const pass = Math.max(0, Math.min(track.passes.length - 1, Math.max(0, this.pass) + rows));
    const {from, to} = track.passes[pass];
    const inHead = this.pass >= 0 && this.guide < 0;
    if (inHead && columns <= 0) {
      this.choose(this.track, pass, -1);
      return;
    }
    const at = inHead ? from - 1 : inPass(track, Math.max(0, this.guide), pass);
    this.go(Math.max(from, Math.min(to - 1, at + columns)));
  }

  key(event) {
    if (event.altKey || event.metaKey || this.data().count === 0)
      return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    const actions = {
      ArrowUp: () => this.move(-1, 0),
      ArrowDown: () => this.move(1, 0),
      ArrowLeft: () => this.move(0, -1),
      ArrowRight: () => this.move(0, 1),
      PageUp: () => this.move(-page, 0),
      PageDown: () => this.move(page, 0),
      Home: () => (event.ctrlKey ? this.go(0) : this.move(0, -Infinity)),
      End: () => (event.ctrlKey ? this.go(this.data().count - 1) : this.move(0, Infinity)),
      Enter: () => this.again(),
    };
    if (actions[event.key] === undefined)
      return;
    event.preventDefault();
    actions[event.key]();
  }

  click(event) {
    const cell = event.target.closest('[data-guide]');
    const head = event.target.closest('[data-pass]');
    if (cell !== null)
      this.go(Number(cell.dataset.guide));
    else if (head !== null)
      this.choose(this.track, Number(head.dataset.pass), -1);
  }

  cell(role, text, column, left) {
    const cell = document.createElement('div');
    cell.className = role === 'gridcell' ? 'cell' : 'cell head';
    cell.setAttribute('role', role);
    cell.setAttribute('aria-colindex', column);
    cell.textContent = text;
    cell.style.left = `${left}px`;
    cell.style.width = `${column === 1 ? this.headWidth : this.width}px`;
    return cell;
  }

  row(index, top) {
    const row = document.createElement('div');
    row.className = index === 1 ? 'line first' : 'line';
    row.setAttribute('role', 'row');
    row.setAttribute('aria-rowindex', index);
    if (index > 1)
      row.style.transform = `translateY(${top}px)`;
    return row;
  }

  ms(i) {
    const track = this.data();
    return this.value === 'start' ? track.relativeStart[i] : (track.end[i] - track.start[i]) / 1000;
  }

  head(columns) {
    const track = this.data();
    const row = this.row(1, 0);
    const corner = this.cell('columnheader', '', 1, 0);
    corner.classList.add('pinned');
    row.append(corner);
    for (let c = columns.first; c < columns.last; c++)
      row.append(this.cell('columnheader', `L${track.columns[c]}`, c + 2, this.headWidth + c * this.width));
    return row;
  }

  line(number, columns) {
    const track = this.data();
    const pass = track.passes[number];
    const row = this.row(number + 2, (number + 1) * ROW);
    const head = this.cell('rowheader', `Pass ${pass.index}`, 1, 0);
    head.classList.add('pinned');
    head.dataset.pass = number;
    if (number === this.pass && this.guide < 0)
      this.mark(head);
    row.append(head);
    const first = lowerBound(track.layer, pass.to, track.columns[columns.first], pass.from);
    for (let i = first; i < pass.to && track.layer[i] <= track.columns[columns.last - 1]; i++) {
      const c = this.columnOf(i);
      const cell = this.cell('gridcell', milliseconds(this.ms(i)), c + 2, this.headWidth + c * this.width);
      cell.dataset.guide = i;
      if (i === this.guide)
        this.mark(cell);
      row.append(cell);
    }
    return row;
  }

  mark(cell) {
    cell.id = 'cell-active';
    cell.setAttribute('aria-selected', 'true');
  }

  draw() {
    const track = this.data();
    const {scrollTop, scrollLeft, clientHeight, clientWidth} = this.element;
    if (clientHeight === 0 || track.count === 0)
      return this.inner.replaceChildren();
    const columns = {
      first: Math.max(0, Math.floor(scrollLeft / this.width) - 1),
      last: Math.min(track.columns.length, Math.ceil((scrollLeft + clientWidth - this.headWidth) / this.width) + 1),
    };
    const first = Math.max(0, Math.floor(scrollTop / ROW) - 2);
    const last = Math.min(track.passes.length, Math.ceil((scrollTop + clientHeight) / ROW) + 1);
    this.inner.style.height = `${(track.passes.length + 1) * ROW}px`;
    this.inner.style.width = `${this.headWidth + track.columns.length * this.width}px`;
    const rows = [this.head(columns)];
    for (let number = first; number < last; number++)
      rows.push(this.line(number, columns));
    this.inner.replaceChildren(...rows);
    if (document.getElementById('cell-active') !== null)
      this.element.setAttribute('aria-activedescendant', 'cell-active');
    else
      this.element.removeAttribute('aria-activedescendant');
    return undefined;
  }
}
