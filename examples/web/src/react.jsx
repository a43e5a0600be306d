/** A React component that owns the simulation's worker, draws its newest frame, and pulls the rope to the pointer. */
import { useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';

const size = 560;
/** Metres to pixels and back. The pin is at the top in the middle; z is up. */
const toPixel = (x, z) => [size / 2 + 240 * x, 40 - 240 * z];
const toMetre = (x, y) => [(x - size / 2) / 240, 0, (40 - y) / 240];

function Rope() {
  const canvas = useRef(null);
  const worker = useRef(null);
  const nodes = useRef(new Float64Array(0));
  const held = useRef(-1);

  useEffect(() => {
    const simulation = new Worker(new URL('./simulation.ts', import.meta.url), { type: 'module' });
    worker.current = simulation;
    simulation.onmessage = ({ data }) => {
      nodes.current = data.nodePosition;
    };
    let handle = requestAnimationFrame(function draw() {
      handle = requestAnimationFrame(draw);
      const context = canvas.current.getContext('2d');
      context.clearRect(0, 0, size, size);
      context.lineWidth = 6;
      context.lineJoin = 'round';
      context.strokeStyle = '#a9672f';
      context.beginPath();
      const x = nodes.current;
      for (let k = 0; k < x.length; k += 3) context.lineTo(...toPixel(x[k], x[k + 2]));
      context.stroke();
      // read by the test of this example: position of the free end
      document.body.dataset.tip = x.slice(-3).join(' ');
    });
    // React calls this when it removes the component: stop drawing and end the worker
    return () => {
      cancelAnimationFrame(handle);
      simulation.terminate();
    };
  }, []);

  const pull = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const target = toMetre(event.clientX - box.x, event.clientY - box.y);
    if (event.type === 'pointerdown') {
      const distance = (i) => Math.hypot(nodes.current[3 * i] - target[0], nodes.current[3 * i + 2] - target[2]);
      held.current = 0;
      for (let i = 1; 3 * i < nodes.current.length; i++) if (distance(i) < distance(held.current)) held.current = i;
    }
    if (held.current >= 0) worker.current.postMessage({ node: held.current, target });
  };
  const release = () => {
    held.current = -1;
    worker.current.postMessage({ node: -1 });
  };
  return (
    <canvas
      ref={canvas}
      width={size}
      height={size}
      role="img"
      aria-label="A rope that hangs from one end; drag it with the mouse or a finger"
      onPointerDown={pull}
      onPointerMove={pull}
      onPointerUp={release}
      onPointerCancel={release}
      onPointerLeave={release}
    />
  );
}

createRoot(document.getElementById('app')).render(<Rope />);
