/** Shows the one conversation under the one policy that is chosen; without it all are shown. It writes no text. */
export const SCRIPT = `'use strict';
const panels = [...document.querySelectorAll('.panel')];
const conversation = document.getElementById('conversation');
const combination = document.getElementById('combination');
const controls = document.querySelector('.controls');
if (controls && conversation && combination) {
  const choose = () => {
    for (const panel of panels)
      panel.hidden = panel.dataset.conversation !== conversation.value || panel.dataset.combination !== combination.value;
  };
  conversation.addEventListener('change', choose);
  combination.addEventListener('change', choose);
  controls.hidden = false;
  choose();
}
addEventListener('keydown', (event) => {
  const point = event.target.closest && event.target.closest('.point');
  if (!point || !event.key.startsWith('Arrow')) return;
  const points = [...point.parentNode.querySelectorAll('.point')];
  const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : -1;
  const next = points[(points.indexOf(point) + step + points.length) % points.length];
  next.focus();
  event.preventDefault();
});
`;
