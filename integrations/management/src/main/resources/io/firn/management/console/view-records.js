// The records of a partition. Each search is bounded; the next one goes on where it ended.

import {ask} from './api.js';
import {element, setText, show} from './dom.js';
import * as format from './format.js';

const ANY_PLACE = [
  ['latest', 'the latest'],
  ['earliest', 'the earliest'],
  ['offset', 'an offset'],
  ['time', 'a time'],
];

export function mount({parts, parameters, setParameters, latest}) {
  const [, topic, partition] = parts;
  const form = searchForm(parameters());
  const list = element('ol', {class: 'records'});
  const summary = element('p', {class: 'note', 'aria-live': 'polite'});
  const problem = element('p', {class: 'problem', hidden: true});
  const hidden = element('p', {class: 'note', hidden: true});
  const empty = element('p', {class: 'empty', hidden: true}, 'No records here.');
  const more = element('button', {type: 'button', hidden: true}, 'Go on');
  let next = null;

  async function search(place) {
    form.setBusy(true);
    show(problem, false);
    try {
      const answer = await ask('records', {topic, partition, ...form.values(), ...place});
      if (!place) {
        list.replaceChildren();
      }
      list.append(...answer.records.map((each) => item(each, answer)));
      next = answer.next;
      showEnd(answer);
    } catch (error) {
      setText(problem, error.message);
      show(problem, true);
    } finally {
      form.setBusy(false);
    }
  }

  function showEnd(answer) {
    setText(
        summary,
        `Offsets ${format.count(answer.start)} to ${format.count(answer.end)}. `
            + `Searched ${format.plural(answer.searched, 'record')} from offset ${format.count(answer.from)}.`);
    show(problem, answer.problem !== null);
    setText(problem, answer.problem ?? '');
    show(empty, list.children.length === 0);
    show(more, answer.next < answer.end);
    setText(more, `Go on from offset ${format.count(answer.next)}`);
  }

  more.addEventListener('click', () => search({from: 'offset', offset: next}));
  form.box.addEventListener('submit', (event) => {
    event.preventDefault();
    setParameters(form.values());
    search();
  });
  return {
    title: `${topic}, partition ${partition}`,
    isLive: false,
    box: element(
        'div', {},
        element('p', {}, element('a', {href: `#/topics/${encodeURIComponent(topic)}`}, `All of ${topic}`)),
        element('section', {class: 'card'}, form.box, hidden, summary, problem, list, empty, more)),
    async update() {
      const shown = (latest() ?? await ask('overview')).records;
      form.allowKeys(shown !== 'metadata');
      show(hidden, shown !== 'values');
      setText(
          hidden,
          shown === 'keys' ? 'Values are hidden: management.console=values shows them.'
              : 'Keys and values are hidden: management.console=keys, or values, shows them.');
      await search();
    },
  };
}

function searchForm(parameters) {
  const from = element('select', {name: 'from'});
  ANY_PLACE.forEach(([value, text]) => from.append(element('option', {value}, text)));
  const offset = element('input', {type: 'number', min: 0, step: 1, inputmode: 'numeric'});
  const time = element('input', {type: 'datetime-local', step: 1});
  const key = element('input', {type: 'text', autocomplete: 'off', spellcheck: false});
  const offsetField = element('label', {}, 'Offset ', offset);
  const timeField = element('label', {}, 'Time ', time);
  const keyField = element('label', {title: 'As text, or 0x and hexadecimal digits'}, 'Key ', key);
  const submit = element('button', {type: 'submit', class: 'main'}, 'Show');
  const adapt = () => {
    show(offsetField, from.value === 'offset');
    show(timeField, from.value === 'time');
  };
  from.value = parameters.get('from') ?? 'latest';
  offset.value = parameters.get('offset') ?? '';
  key.value = parameters.get('key') ?? '';
  if (parameters.has('time')) {
    const ms = Number(parameters.get('time'));
    time.value = format.time(ms).replace(' ', 'T');
  }
  from.addEventListener('change', adapt);
  adapt();
  return {
    box: element(
        'form', {class: 'tools'},
        element('label', {}, 'From ', from), offsetField, timeField, keyField, submit),
    setBusy(busy) {
      submit.disabled = busy;
    },
    allowKeys: (allowed) => show(keyField, allowed),
    values: () => ({
      from: from.value,
      offset: from.value === 'offset' ? offset.value : '',
      time: from.value === 'time' && time.value ? String(new Date(time.value).getTime()) : '',
      key: keyField.hidden ? '' : key.value,
    }),
  };
}

function item(record) {
  const head = element(
      'p', {class: 'record-head'},
      element('strong', {}, `Offset ${format.count(record.offset)}`),
      element('span', {}, format.exactTime(record.timestampMs)),
      element('span', {}, size('key', record.keyBytes)),
      element('span', {}, record.valueBytes < 0 ? 'no value: a tombstone' : size('value', record.valueBytes)),
      record.headerCount > 0 ? element('span', {}, format.plural(record.headerCount, 'header')) : null);
  const box = element('li', {}, head);
  if (record.key !== null) {
    box.append(element('p', {class: 'key'}, element('span', {class: 'note'}, 'Key '), content('code', record.key)));
  }
  for (const header of record.headers ?? []) {
    box.append(
        element(
            'p', {class: 'key'},
            element('span', {class: 'note'}, `Header ${header.key} `),
            header.value === null ? 'none' : content('code', header.value)));
  }
  if (record.value !== null) {
    box.append(content('pre', record.value));
  }
  return box;
}

const size = (what, bytes) => (bytes < 0 ? `no ${what}` : `${what} ${format.bytes(bytes)}`);

function content(name, bytes) {
  const text = bytes.text ?? `0x${bytes.hex}`;
  return element(name, name === 'pre' ? {tabindex: 0} : {}, bytes.cut ? `${text}…` : text);
}
