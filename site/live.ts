/** Live figures of the site, in the page: a button that shows the studio's view with a scene, to run and to pull. */
const root = document.body.dataset.root ?? '';

for (const figure of document.querySelectorAll<HTMLElement>('figure.live')) {
  const address = figure.dataset.scene ?? '';
  const button = figure.querySelector('button');
  button?.addEventListener('click', () => {
    const frame = document.createElement('iframe');
    frame.src = `${root}studio/index.html?view#${address}`;
    frame.title = 'The scene, running: drag a rod to pull it';
    const caption = document.createElement('figcaption');
    const link = document.createElement('a');
    link.href = `${root}studio/index.html#${address}`;
    link.target = '_blank';
    link.textContent = 'Open it in the studio';
    caption.append('Drag a rod to pull it, the background to orbit. ', link, '.');
    button.replaceWith(frame, caption);
    // the still picture of a case gives way to the run
    const still = figure.previousElementSibling;
    if (still?.matches('img.case')) still.remove();
  });
}
