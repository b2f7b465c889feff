/** A module that is built by itself and imported as the text of a classic script. */
declare module '*?script' {
  const source: string;
  export default source;
}
