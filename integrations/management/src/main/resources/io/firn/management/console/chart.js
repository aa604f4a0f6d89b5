// A line chart over time, in the colours of the page.

import uPlot from './uplot.js';
import {element, setText} from './dom.js';

const BINARY_STEPS = Array.from({length: 50}, (_, i) => 2 ** i);

/**
 * Creates a chart of some series: each has a key in the history, a label and a colour's number. The
 * steps of a chart of bytes are powers of two.
 */
export function chart(title, series, format, isOfBytes = false) {
  const values = series.map(() => element('span', {class: 'value'}));
  const legend = element('p', {class: 'legend'});
  series.forEach((each, i) => {
    legend.append(
        element('span', {},
            element('span', {class: `swatch c${each.colour}`}), `${each.label} `, values[i]));
  });
  const area = element('div', {class: 'plot', role: 'img'});
  const box = element('section', {class: 'card'}, element('h2', {}, title), legend, area);
  let plot = null;
  let data = null;

  function read(index) {
    const texts = series.map((_, i) => format(data?.[i + 1]?.[index]));
    texts.forEach((text, i) => setText(values[i], text));
    return texts;
  }

  function draw() {
    plot?.destroy();
    plot = data === null || data[0].length < 2 || area.clientWidth === 0
        ? null
        : new uPlot(options(area, series, format, isOfBytes, (index) => read(index ?? data[0].length - 1)), data, area);
  }

  const resized = new ResizeObserver(() => {
    if (plot === null) {
      draw();
    } else if (area.clientWidth > 0 && area.clientWidth !== plot.width) {
      plot.setSize({width: area.clientWidth, height: area.clientHeight});
    }
  });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  resized.observe(area);
  scheme.addEventListener('change', draw);

  return {
    box,
    update(history) {
      data = [history.times, ...series.map((each) => history.series[each.key] ?? [])];
      const latest = read(data[0].length - 1);
      area.setAttribute(
          'aria-label', `${title}: ${series.map((each, i) => `${each.label} ${latest[i]}`).join(', ')}`);
      if (plot === null) {
        draw();
      } else {
        plot.setData(data);
      }
    },
    end() {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    },
  };
}

function options(area, series, format, isOfBytes, onCursor) {
  const style = getComputedStyle(area);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--muted'),
    grid: {stroke: colour('--line'), width: 1},
    ticks: {show: false},
    font: '12px system-ui, sans-serif',
  };
  return {
    width: area.clientWidth,
    height: area.clientHeight,
    padding: [8, 12, 0, 0],
    legend: {show: false},
    cursor: {y: false, drag: {x: false, y: false}, points: {size: 6}},
    scales: {y: {range: (_, low, high) => [0, high > 0 ? high * 1.15 : 1]}},
    axes: [
      {...axis, size: 26, gap: 8, space: 80, values: (_, ticks) => ticks.map(clock)},
      {
        ...axis,
        size: 72,
        space: 36,
        values: (_, ticks) => ticks.map(format),
        ...(isOfBytes ? {incrs: BINARY_STEPS} : {}),
      },
    ],
    series: [
      {},
      ...series.map((each) => ({
        stroke: colour(`--c${each.colour}`),
        width: 2,
        spanGaps: true,
        points: {show: false},
      })),
    ],
    hooks: {setCursor: [(plot) => onCursor(plot.cursor.idx)]},
  };
}

function clock(seconds) {
  const date = new Date(seconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
      .map((each) => String(each).padStart(2, '0'))
      .join(':');
}
