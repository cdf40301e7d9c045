/** Deeper than this no honest message is, and recursive code would run out of stack. */
const MAX_DEPTH = 64

export type ReadJson = { value: unknown } | { problem: 'syntax' | 'depth' | 'duplicate' | 'prototype'; detail: string }

/**
 * JSON whose depth is bounded before anything walks it, and in which no key stands twice or is __proto__: two readers of such a
 * message could see two different calls.
 */
export function readJson(text: string): ReadJson {
  const pairs = countPairs(text)
  if (pairs === null) return { problem: 'depth', detail: `the body is nested deeper than ${MAX_DEPTH}` }
  let value: unknown
  try {
    value = JSON.parse(text) as unknown
  } catch {
    return { problem: 'syntax', detail: 'the body is not JSON' }
  }
  const keys = countKeys(value)
  if (keys === null) return { problem: 'prototype', detail: 'a key is named __proto__' }
  // The parser keeps the last of two equal keys: then fewer are left than were written.
  return keys === pairs ? { value } : { problem: 'duplicate', detail: 'a key stands twice in one object' }
}

const QUOTE = 34
const BACKSLASH = 92

/** How many keys are written, which is one before each colon outside of texts; null when it is too deep. Where it is not JSON the answer does not matter. */
function countPairs(text: string): number | null {
  let depth = 0
  let pairs = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfText(text, i)
        break
      case 58: // :
        pairs++
        break
      case 123: // {
      case 91: // [
        if (++depth > MAX_DEPTH) return null
        break
      case 125: // }
      case 93: // ]
        depth--
        break
    }
  }
  return pairs
}

/** How many keys were understood; null when one of them is __proto__. */
function countKeys(value: unknown): number | null {
  if (value === null || typeof value !== 'object') return 0
  let keys = 0
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return null
    const within = countKeys((value as Record<string, unknown>)[key])
    if (within === null) return null
    keys += within
  }
  return Array.isArray(value) ? keys : keys + Object.keys(value).length
}

function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}
