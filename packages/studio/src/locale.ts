/** A browser may give a language that is none ("C", where the system has no locale), and libraries that ask for its numbers then fail. */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}
