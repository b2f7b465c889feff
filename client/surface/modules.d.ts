/** The bridge, built by itself, as the text of a classic script (build.ts). */
declare module 'virtual:surface-bridge' {
  const source: string;
  export default source;
}
