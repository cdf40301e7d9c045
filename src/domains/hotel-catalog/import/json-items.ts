import type { Readable } from 'node:stream'
import { AppError } from '../../../kernel/errors.ts'

const MAX_ITEM_CHARACTERS = 4_000_000

/**
 * Reads the objects of one array of a JSON document, such as the features of GeoJSON, one by one: the whole document may be larger than
 * the memory. `names` are the arrays of the outermost object to read.
 */
export async function* readJsonItems(file: Readable, names: readonly string[]): AsyncGenerator<unknown> {
  const splitter = createSplitter(names)
  for await (const chunk of file.setEncoding('utf8') as AsyncIterable<string>) {
    for (const item of splitter.split(chunk)) yield parseItem(item)
  }
  if (!splitter.isComplete()) throw new AppError('invalid_arguments', 'The file ends in the middle of its JSON: it is not complete')
}

function parseItem(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('invalid_arguments', `The file is not JSON near ${JSON.stringify(text.slice(0, 60))}`)
  }
}

/** Finds the start and end of each object of an array, by counting brackets outside of strings. */
function createSplitter(names: readonly string[]) {
  let [depth, inString, escaped, started] = [0, false, false, false]
  // Collects the property names of the outermost object, to find out to which property an array belongs.
  let [lastText, inWantedArray, capturing] = ['', false, false]
  let item: string[] = []
  let size = 0

  function* split(chunk: string): Generator<string> {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk[at]!
      if (inString) {
        if (escaped) escaped = false
        else if (character === '\\') escaped = true
        else if (character === '"') inString = false
        else if (depth === 1) lastText += character
        continue
      }
      if (character === '"') {
        inString = true
        if (depth === 1) lastText = ''
      } else if (character === '{' || character === '[') {
        started = true
        if (depth === 1) inWantedArray = character === '[' && names.includes(lastText)
        if (depth === 2 && inWantedArray && character === '{') [capturing, from] = [true, at]
        depth++
      } else if (character === '}' || character === ']') {
        depth--
        if (depth === 2 && capturing) {
          yield item.join('') + chunk.slice(from, at + 1)
          ;[capturing, item, size] = [false, [], 0]
        }
      }
    }
    if (!capturing) return
    item.push(chunk.slice(from))
    size += chunk.length - from
    if (size > MAX_ITEM_CHARACTERS) throw new AppError('limit_exceeded', 'The file has a record of more than 4 million characters')
  }

  return { split, isComplete: () => started && depth === 0 && !inString }
}
