import type { JSX } from 'preact';

const paths = {
  play: 'M8 5.500v13l10.500-6.500z',
  pause: 'M8 5.500v13M16 5.500v13',
  stepBack: 'M17 6v12L8.500 12zM6.500 6v12',
  stepForward: 'M7 6v12l8.500-6zM17.500 6v12',
  restart: 'M5 12a7 7 0 1 0 2.300-5.200M5 4.500V9h4.500',
  loop: 'M4.500 12a5 5 0 0 1 5-5h8.500M15 4l3 3-3 3M19.500 12a5 5 0 0 1-5 5H6M9 20l-3-3 3-3',
  undo: 'M8.500 5 4.500 9l4 4M4.500 9h9a5 5 0 0 1 0 10H9',
  redo: 'M15.500 5l4 4-4 4M19.500 9h-9a5 5 0 0 0 0 10H15',
  open: 'M4 18.500V6.500h5.500l2 2.500H20v9.500z',
  save: 'M12 4v11M7.500 10.500 12 15l4.500-4.500M5 19.500h14',
  share:
    'M9 12.500a3.500 3.500 0 0 0 5 0l3.500-3.500a3.500 3.500 0 0 0-5-5L11 5.500M15 11.500a3.500 3.500 0 0 0-5 0L6.500 15a3.500 3.500 0 0 0 5 5l1.500-1.500',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600 7 7M17 17l1.400 1.400M18.400 5.600 17 7M7 17l-1.400 1.400',
  moon: 'M19 14.500A7.500 7.500 0 0 1 9.500 5a7.500 7.500 0 1 0 9.500 9.500z',
  help: 'M9 9.200a3 3 0 1 1 4.400 2.700c-.9.500-1.400 1-1.400 2.100M12 17.500v.100',
  compare: 'M4.500 6h6v12h-6zM13.500 6h6v12h-6z',
  hand: 'M12 3.500v6M12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM4 19c4 0 5-7 8-7s4 7 8 7',
  pin: 'M12 13.500V20M8 4.500h8l-1.300 5 2.300 3.500v.500H7v-.500l2.300-3.500z',
  scissors:
    'M7 15.500a2.300 2.300 0 1 0 0 4.600 2.300 2.300 0 0 0 0-4.600zM17 15.500a2.300 2.300 0 1 0 0 4.600 2.300 2.300 0 0 0 0-4.600zM8.300 15.900 16 4M15.700 15.900 8 4',
  comb: 'M4 7.500h16v3.500H4zM5.500 11v7M8.700 11v7M12 11v7M15.300 11v7M18.500 11v7',
  curl: 'M15 4c-7 0-7 5-2 5s5 5-1 5-6 6 2 6',
  straight: 'M8 4v16M12 4v16M16 4v16',
  wind: 'M4 9h9.500a2.500 2.500 0 1 0-2.300-3.500M4 13h13a2.500 2.500 0 1 1-2.300 3.500M4 17h5.500a1.800 1.800 0 1 1-1.600 2.600',
  focus: 'M5 9V5h4M15 5h4v4M19 15v4h-4M9 19H5v-4M12 11v2M11 12h2',
  arrow: 'M5.500 18.500 18 6M10.500 5.500H18.500V13.500',
  camera:
    'M4.500 8h3.300l1.400-2h5.600l1.400 2h3.300v10.500h-15zM12 10.500a2.700 2.700 0 1 0 0 5.400 2.700 2.700 0 0 0 0-5.400z',
  rest: 'M4 7c3 8 13 8 16 0M12 13v5M8.500 18h7',
  close: 'M6.500 6.500l11 11M17.500 6.500l-11 11',
  search: 'M10.500 5a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zM14.500 14.500 19 19',
  panelLeft: 'M4.500 5.500h15v13h-15zM9.500 5.500v13',
  panelRight: 'M4.500 5.500h15v13h-15zM14.500 5.500v13',
  panelBottom: 'M4.500 5.500h15v13h-15zM4.500 14h15',
  check: 'M5 12.500 10 17.500 19.500 7',
  cross: 'M6.500 6.500l11 11M17.500 6.500l-11 11',
  plus: 'M12 5.500v13M5.500 12h13',
  eye: 'M3 12c4-6.500 14-6.500 18 0-4 6.500-14 6.500-18 0zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
  warn: 'M12 4.500 20.500 19h-17zM12 10v4M12 16.500v.1',
  sliders: 'M5 8h7M16 8h3M14 6v4M5 16h3M12 16h7M10 14v4',
  theory: 'M5 19V5M5 19h14M8 15c3 0 4-8 10-8',
  text: 'M5 7h14M5 12h9M5 17h12',
  cube: 'M12 4l7 4v8l-7 4-7-4V8zM12 12l7-4M12 12v8M12 12 5 8',
  outside: 'M10 5.500H5.500v13h13V14M13.500 5.500h5v5M18 6l-8 8',
  grid: 'M5 5h6v6H5zM13 5h6v6h-6zM5 13h6v6H5zM13 13h6v6h-6z',
} as const;

export type IconName = keyof typeof paths;

const filled: ReadonlySet<string> = new Set(['play', 'stepBack', 'stepForward']);

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" class="icon">
      <path
        d={paths[name]}
        fill={filled.has(name) ? 'currentColor' : 'none'}
        stroke="currentColor"
        stroke-width="1.7"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

export interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly text?: string;
  readonly class?: string;
}

export function IconButton({ icon, label, onClick, disabled, pressed, text, ...rest }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${rest.class ?? ''}`}
      title={label}
      aria-label={text ? undefined : label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      {text && <span>{text}</span>}
    </button>
  );
}
