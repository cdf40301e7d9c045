/** Converts a code to words that people read: `run-report` is "Run report", `signin.code` is "Sign-in code". */
export function formatCodeAsWords(code: string): string {
  const words = code
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.:]+/g, ' ')
    .toLowerCase()
    .replace(/\bsignin\b/, 'sign-in')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
