import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { shownJson } from '../../scripts/docs/shown-json.ts'
import { requestsIn } from './curl.ts'
import { testFolder } from './folder.ts'
import { shownValues } from './page-answers.ts'
import { type Block, blocksIn, pageFile, readPageSource } from './page-blocks.ts'
import { type Answer, exchange } from './rpc.ts'
import type { Served } from './server.ts'
import type { ToolAnswer } from './world.ts'

export interface ToolCall {
  name: string
  arguments: Record<string, unknown>
}

interface Parts {
  served: Pick<Served, 'baseUrl' | 'url'>
  /** Shell variables that the reader would have set. */
  variables?: Record<string, string>
  /** Sends a block's call to the tool that it names. */
  call?: (params: ToolCall) => Promise<ToolAnswer>
}

/** A documentation page that is executed: its requests are sent, and the responses that it prints must match the real ones. */
export interface PlayedPage {
  /** Executes the page from the current position to the end or to this heading. */
  play: (until?: string) => Promise<void>
  /** Declares which value of this run stands for a value on the page. */
  know: (written: string, real: string) => void
  /** The last response: the result of a tool, otherwise headers and body. */
  last: () => any
  /** Compares the next example under this heading, which is not a response, with a real value. For a request its headers are compared. */
  isExample: (heading: string, real: unknown) => void
  /** Fails if part of the page was not executed. With UPDATE_PAGES the corrected page is written. */
  finish: () => void
}

type Answered = { kind: 'http'; answer: Answer } | { kind: 'tool'; answer: ToolAnswer } | { kind: 'printed'; text: string | null }

/** Writes responses that differ into the page; `all` rewrites every response, including parts that the page leaves out. */
const UPDATE = process.env['UPDATE_PAGES']
const EXAMPLE_BASE = 'https://lanyard.example'
const LEAD_SDK = new URL('../../clients/lead-sdk/lib/index.js', import.meta.url).href
const run = promisify(execFile)

export function playPage(name: string, { served, variables = {}, call }: Parts): PlayedPage {
  const source = readPageSource(name)
  const blocks = blocksIn(source)
  const shown = shownValues()
  shown.know(EXAMPLE_BASE, served.baseUrl)
  const shell = new Map(Object.entries(variables))
  const loose = new Set<Block>()
  const written = new Map<Block, string>()
  let [next, last]: [number, any] = [0, undefined]

  const disagree = (block: Block, faults: readonly string[], truth: () => string) => {
    if (faults.length === 0 && UPDATE !== 'all') return
    if (UPDATE === undefined) throw new Error(`${name}, under “${block.heading}”:\n${faults.slice(0, 12).join('\n')}`)
    written.set(block, `${shown.writtenOf(truth())}\n`)
  }

  async function send(block: Block): Promise<Answered> {
    if (block.language === 'json') return { kind: 'tool', answer: await call!(JSON.parse(shown.realOf(block.text)) as ToolCall) }
    if (block.language !== 'sh')
      return { kind: 'printed', text: await printed(block, block.text.replaceAll(EXAMPLE_BASE, served.baseUrl), Object.fromEntries(shell)) }
    let answer: Answer | undefined
    for (const { url, ...request } of requestsIn(shown.realOf(block.text), shell)) {
      answer = await exchange(url.replace(served.baseUrl, served.url('')), request)
    }
    return { kind: 'http', answer: answer! }
  }

  function judge(said: Block, answered: Answered): void {
    if (answered.kind === 'printed') {
      const { text } = answered
      return text === null ? undefined : disagree(said, shown.faultsOf(said.text.trim(), text), () => text)
    }
    if (answered.kind === 'tool') return judgeTool(said, answered.answer)
    const { status, headers, text } = answered.answer
    const body: unknown = /\bjson\b/.test(headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : text
    last = { headers, body }
    if (said.language === 'json') {
      const faults = status < 300 ? shown.faultsOf(JSON.parse(said.text), body) : [`the response is ${status}: ${text.slice(0, 300)}`]
      return disagree(said, faults, () => shownJson(body))
    }
    judgeMessage(said, `HTTP/1.1 ${status}`, headers, body)
  }

  /** Compares the status line, the headers that the page prints, and the body if the page has one. */
  function judgeMessage(said: Block, begins: string, headers: Answer['headers'], body: unknown): void {
    const [head, tail = ''] = said.text.split(/\n\n/, 2)
    const [first, ...lines] = head!.trim().split('\n')
    const named = lines.map((line) => /^([^:]+): (.*)$/.exec(line)!.slice(1) as [string, string])
    const real = (header: string) => [headers[header.toLowerCase()] ?? '(none)'].flat().join(', ')
    const faults = [
      ...(first!.startsWith(begins) ? [] : [`the page says ${first}, the response is ${begins}`]),
      ...named.flatMap(([header, value]) => shown.faultsOf(value, real(header), header)),
      ...(tail.trim() ? shown.faultsOf(JSON.parse(tail), body) : []),
    ]
    const told = () => [first!.startsWith(begins) ? first : begins, ...named.map(([header]) => `${header}: ${real(header)}`)]
    disagree(said, faults, () => [...told(), ...(tail.trim() ? ['', shownJson(body)] : [])].join('\n'))
  }

  function judgeTool(said: Block, { isError, content, structuredContent }: ToolAnswer): void {
    last = structuredContent
    const text = content[0]?.text ?? ''
    if (said.language === 'text')
      return disagree(said, isError ? shown.faultsOf(said.text.trim(), text) : ['the call succeeded'], () => text)
    if (isError) throw new Error(`${name}, under “${said.heading}”, the call was refused: ${text}`)
    disagree(said, shown.faultsOf(JSON.parse(said.text), structuredContent), () => shownJson(structuredContent))
  }

  const mustSucceed = (block: Block, answered: Answered) => {
    const failed = answered.kind === 'http' ? answered.answer.status >= 400 : answered.kind === 'tool' && answered.answer.isError
    if (failed) throw new Error(`${name}, under “${block.heading}”: unexpected response: ${JSON.stringify(answered)}`)
    if (answered.kind === 'tool') last = answered.answer.structuredContent
  }

  return {
    know: shown.know,
    last: () => last,
    async play(until) {
      for (; next < blocks.length && blocks[next]!.heading !== until; next++) {
        const [block, after] = [blocks[next]!, blocks[next + 1]]
        if (!isRequest(block, after)) {
          if (ANSWERS.has(block.language)) loose.add(block)
          continue
        }
        const answered = await send(block)
        if (after && after.heading === block.heading && ANSWERS.has(after.language) && !isRequest(after, blocks[next + 2])) {
          judge(after, answered)
          next++
        } else mustSucceed(block, answered)
      }
    },
    isExample(heading, real) {
      const block = blocks.find((one) => one.heading === heading && loose.has(one))
      if (!block) throw new Error(`${name} has no unchecked example under “${heading}”`)
      loose.delete(block)
      if (block.language === 'http') judgeMessage(block, 'POST', real as Answer['headers'], undefined)
      else if (typeof real === 'string') disagree(block, shown.faultsOf(block.text.trim(), real), () => real)
      else disagree(block, shown.faultsOf(JSON.parse(block.text), real), () => shownJson(real))
    },
    finish() {
      if (UPDATE !== undefined) writeFileSync(pageFile(name), withBlocks(source, written))
      const untried = [...loose, ...blocks.slice(next).filter(({ language }) => ANSWERS.has(language))]
      if (untried.length > 0)
        throw new Error(`${name} has blocks that were not executed, under ${untried.map(({ heading }) => `“${heading}”`).join(', ')}`)
    },
  }
}

const ANSWERS = new Set(['json', 'http', 'text'])

/** A block that can be executed: a tool call, curl, or a program whose output follows. */
function isRequest({ language, use, text, heading }: Block, after: Block | undefined): boolean {
  if (language === 'json') return use === 'call'
  if (language === 'sh') return /^\s*(curl|[A-Z_]+=)/.test(text)
  return (language === 'js' || language === 'python') && after?.language === 'text' && after.heading === heading
}

/** The output of a program. Without Python installed the printed output is not verified. */
async function printed({ language }: Block, program: string, env: Record<string, string>): Promise<string | null> {
  const file = join(testFolder(), language === 'js' ? 'program.mjs' : 'program.py')
  writeFileSync(file, program.replaceAll("'@lanyard/lead-sdk'", JSON.stringify(LEAD_SDK)))
  try {
    const { stdout } = await run(language === 'js' ? process.execPath : 'python3', [file], {
      env: { ...env, PATH: process.env['PATH'] ?? '' },
    })
    return stdout.trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function withBlocks(source: string, written: ReadonlyMap<Block, string>): string {
  let text = source
  for (const [{ from, until }, instead] of [...written].toSorted(([a], [b]) => b.from - a.from))
    text = text.slice(0, from) + instead + text.slice(until)
  return text
}
