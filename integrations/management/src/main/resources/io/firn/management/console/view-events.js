// Findings that are present, and those that began and ended.

import {ask} from './api.js';
import {card, element, setText, show} from './dom.js';
import * as format from './format.js';

/** A list of findings that are present. */
export function findings() {
  const list = element('ul', {class: 'findings'});
  const none = element('p', {class: 'empty good'}, 'Nothing is wrong.');
  const more = element('p', {class: 'note', hidden: true});
  let shown = '';
  return {
    box: element('div', {}, list, none, more),
    update(all, count) {
      show(list, all.length > 0);
      show(none, all.length === 0);
      show(more, count > all.length);
      setText(more, `And ${format.count(count - all.length)} more.`);
      const text = JSON.stringify(all);
      if (text !== shown) {
        shown = text;
        list.replaceChildren(...all.map((each) => element('li', {}, ...about(each), since(each))));
      }
    },
  };
}

const since = (finding) => element('p', {class: 'note'}, `Since ${format.time(finding.sinceMs)}`);

function about(finding) {
  return [
    element('span', {class: `chip ${finding.severity}`}, finding.severity),
    element('strong', {}, finding.kind.replaceAll('_', ' ').toLowerCase()),
    element('p', {}, finding.text),
  ];
}

export function mount({latest}) {
  const present = findings();
  const list = element('ol', {class: 'findings'});
  const empty = element('p', {class: 'empty', hidden: true}, 'Nothing has happened since the start.');
  const note = element('p', {class: 'note'});
  let shown = '';
  return {
    title: 'Events',
    box: element('div', {}, card('Present findings', present.box), card('What began and ended', note, list, empty)),
    async update(isCurrent) {
      const answer = await ask('events');
      const now = latest();
      if (!isCurrent()) {
        return;
      }
      if (now !== null) {
        present.update(now.findings, now.findingCount);
      }
      setText(
          note,
          `Since the start at ${format.time(answer.startMs)}`
              + (answer.count > answer.events.length
                  ? `; the latest ${format.count(answer.events.length)} of ${format.count(answer.count)}.`
                  : '.'));
      show(empty, answer.events.length === 0);
      const text = JSON.stringify(answer.events);
      if (text !== shown) {
        shown = text;
        list.replaceChildren(...answer.events.map(item));
      }
    },
  };
}

function item(event) {
  return element(
      'li', {},
      element('span', {class: 'value'}, format.time(event.timeMs)),
      element('span', {class: `chip ${event.ended ? '' : event.finding.severity}`}, event.ended ? 'ended' : event.finding.severity),
      element('strong', {}, event.finding.kind.replaceAll('_', ' ').toLowerCase()),
      element('p', {}, event.finding.text));
}
