const WIDTH = 88

/** JSON as pages show it: on one line if it fits. */
export function formatShownJson(value: unknown, indent = '', before = 0): string {
  const line = inLine(value)
  if (typeof value !== 'object' || value === null || indent.length + before + line.length <= WIDTH) return line
  const deeper = `${indent}  `
  const rows = Array.isArray(value)
    ? value.map((item) => `${deeper}${formatShownJson(item, deeper)}`)
    : Object.entries(value).map(([key, item]) => `${deeper}${JSON.stringify(key)}: ${formatShownJson(item, deeper, key.length + 4)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${rows.join(',\n')}\n${indent}${close}`
}

function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${inLine(item)}`)
    .join(', ')}}`
}
