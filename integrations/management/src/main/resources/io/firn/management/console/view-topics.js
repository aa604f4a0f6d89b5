// The topics, a page at a time.

import {ask} from './api.js';
import {element, setText, show} from './dom.js';
import * as format from './format.js';
import {table} from './table.js';

const TYPING_MS = 250;
const rateOf = format.perSecond(format.short);

export const topicHref = (name, partition) =>
  `#/topics/${encodeURIComponent(name)}${partition === undefined ? '' : '/' + partition}`;

export function mount({parameters, setParameters, refresh}) {
  let before = new Map();
  const rows = table(
      'Topics',
      [
        {title: 'Topic', cell: (each) => ({text: each.name, href: topicHref(each.name)})},
        {title: 'Partitions', number: true, wide: true, cell: (each) => format.count(each.partitions)},
        {title: 'Offsets', number: true, wide: true, cell: (each) => format.count(each.offsets)},
        {title: 'Appended', number: true, cell: (each) => rateOf(each.rate)},
        {title: 'Stored', number: true, cell: (each) => format.bytes(each.bytes)},
        {title: 'Segments', number: true, wide: true, cell: (each) => format.count(each.segments)},
        {title: 'State', wide: true, cell: stateOf},
      ],
      'There is no such topic.');
  const pages = pager(parameters, setParameters, refresh);
  const sort = sortField(
      [['name', 'name'], ['bytes', 'bytes stored'], ['offsets', 'offsets'], ['partitions', 'partitions']],
      parameters, setParameters, refresh);
  return {
    title: 'Topics',
    box: element(
        'div', {},
        element(
            'div', {class: 'tools'},
            filterField('Name has', parameters, setParameters, refresh), sort, pages.box),
        element('section', {class: 'card'}, rows.box)),
    async update(isCurrent) {
      const answer = await ask('topics', paging(parameters));
      if (isCurrent()) {
        const now = performance.now();
        const rates = answer.rows.map((each) => {
          const last = before.get(each.name);
          const rate = last ? Math.max(0, each.appended - last.appended) / ((now - last.at) / 1000) : undefined;
          return {...each, rate};
        });
        before = new Map(answer.rows.map((each) => [each.name, {appended: each.appended, at: now}]));
        rows.update(rates);
        pages.update(answer);
      }
    },
  };
}

function stateOf(topic) {
  return topic.poisoned > 0
      ? {text: `${topic.poisoned} poisoned`, kind: 'chip error'}
      : {text: 'serving', kind: 'chip good'};
}

/** The parameters of a list. */
export function paging(parameters) {
  const given = parameters();
  return {
    filter: given.get('filter') ?? '',
    sort: given.get('sort') ?? '',
    page: given.get('page') ?? '',
  };
}

/** A field that filters a list by a part of the name. */
export function filterField(label, parameters, setParameters, refresh) {
  let timer;
  const input = element('input', {
    type: 'search',
    autocomplete: 'off',
    spellcheck: false,
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        setParameters({filter: input.value, page: ''});
        refresh();
      }, TYPING_MS);
    },
  });
  input.value = parameters().get('filter') ?? '';
  return element('label', {}, `${label} `, input);
}

/** A field that sorts a list; the first choice is the default. */
export function sortField(choices, parameters, setParameters, refresh) {
  const select = element('select', {
    onchange: () => {
      setParameters({sort: select.value, page: ''});
      refresh();
    },
  });
  choices.forEach(([value, text]) => select.append(element('option', {value}, text)));
  select.value = parameters().get('sort') ?? choices[0][0];
  return element('label', {}, 'Sorted by ', select);
}

/** Steps through the pages of a list. */
export function pager(parameters, setParameters, refresh) {
  const text = element('span', {class: 'value'});
  const step = (by) => () => {
    const page = Number(parameters().get('page') ?? 0) + by;
    setParameters({page: page > 0 ? page : ''});
    refresh();
  };
  const previous = element('button', {type: 'button', onclick: step(-1)}, 'Previous');
  const next = element('button', {type: 'button', onclick: step(1)}, 'Next');
  const box = element('div', {class: 'pager'}, previous, text, next);
  return {
    box,
    update({total, page, size, rows}) {
      const first = page * size;
      setText(text, total === 0 ? 'none'
          : rows.length === 0 ? `none of ${format.count(total)} here`
          : `${format.count(first + 1)}–${format.count(first + rows.length)} of ${format.count(total)}`);
      previous.disabled = page === 0;
      next.disabled = first + size >= total;
      show(previous, total > size || page > 0);
      show(next, total > size);
    },
  };
}
