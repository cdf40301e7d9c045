/** Whether a version is later than another, compared number by number. A release is later than its preview versions. */
export function isLaterVersion(version: string, than: string): boolean {
  const [a, b] = [parts(version), parts(than)]
  for (let i = 0; i < 3; i++) if (a.numbers[i] !== b.numbers[i]) return (a.numbers[i] ?? 0) > (b.numbers[i] ?? 0)
  if (a.preview === b.preview) return false
  return a.preview === '' || (b.preview !== '' && a.preview.localeCompare(b.preview, 'en', { numeric: true }) > 0)
}

function parts(version: string): { numbers: number[]; preview: string } {
  const [numbers = '', ...preview] = version.split('+', 1)[0]!.split('-')
  return { numbers: [0, 1, 2].map((i) => Number(numbers.split('.')[i]) || 0), preview: preview.join('-') }
}
