import type { RpcHeaders } from './rpc.ts'

export interface CurlRequest {
  url: string
  method: string
  headers: RpcHeaders
  body?: string
}

const WORDS = /\\\n|'([^']*)'|"([^"]*)"|(\n)|([ \t]+)|([^\s'"\\]+)/g

/**
 * Splits shell lines into commands, as far as the documentation needs it: quotes, variables and line continuations. It is a generator,
 * because a command may use a variable that the previous one set.
 */
function* parseCommands(lines: string, variables: Map<string, string>): Generator<string[]> {
  const filled = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables.get(name)
      if (value === undefined) throw new Error(`$${name} is used but was never set`)
      return value
    })
  let words: string[] = []
  let word: string | null = null
  const endWord = () => {
    if (word !== null) words.push(word)
    word = null
  }
  for (const [, single, double, newline, blank, plain] of lines.matchAll(WORDS)) {
    if (single !== undefined) word = (word ?? '') + single
    else if (double !== undefined) word = (word ?? '') + filled(double)
    else if (plain !== undefined) word = (word ?? '') + filled(plain)
    else if (newline !== undefined || blank !== undefined) endWord()
    if (newline === undefined) continue
    if (words.length > 0) yield words
    words = []
  }
  endWord()
  if (words.length > 0) yield words
}

/**
 * Returns the HTTP requests of a code block with curl commands, in sequence. Shell variables that the block sets are stored in `variables`.
 */
export function* parseCurlRequests(lines: string, variables: Map<string, string>): Generator<CurlRequest> {
  for (const [first, ...words] of parseCommands(lines, variables)) {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(first!) ?? []
    if (name !== undefined) variables.set(name, value!)
    else if (first === 'curl') yield requestOf(words)
    else throw new Error(`only curl is supported here, not ${first}`)
  }
}

function requestOf(words: readonly string[]): CurlRequest {
  // curl sends this Accept header by default.
  const headers: RpcHeaders = { accept: '*/*' }
  const sent: string[] = []
  let [url, method, inAddress] = ['', '', false]
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (/^-[siG]+$/.test(word)) inAddress ||= word.includes('G')
    else if (word === '-X') method = words[++at]!
    else if (word === '-d') sent.push(words[++at]!)
    else if (word === '--data-urlencode') sent.push(encoded(words[++at]!))
    else if (word === '-H') {
      const [, name, value] = /^([^:]+): (.*)$/s.exec(words[++at]!)!
      headers[name!.toLowerCase()] = value!
    } else if (word.startsWith('-')) throw new Error(`${word} is an unsupported curl option`)
    else url = word
  }
  if (inAddress) return { url: `${url}?${sent.join('&')}`, method: method || 'GET', headers }
  if (sent.length === 0) return { url, method: method || 'GET', headers }
  return {
    url,
    method: method || 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: sent.join('&'),
  }
}

const encoded = (pair: string) => {
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(pair)!
  return `${name}=${encodeURIComponent(value!)}`
}
