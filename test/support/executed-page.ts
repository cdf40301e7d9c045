import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { formatShownJson } from '../../scripts/docs/shown-json.ts'
import { parseCurlRequests } from './curl.ts'
import { createTestFolder } from './folder.ts'
import { createPageValues } from './page-values.ts'
import { type CodeBlock, parseCodeBlocks, pageFile, readPageSource } from './code-blocks.ts'
import { type HttpAnswer, sendHttp } from './rpc.ts'
import type { Served } from './server.ts'
import type { ToolAnswer } from './world.ts'

export interface ToolCall {
  name: string
  arguments: Record<string, unknown>
}

interface Parts {
  served: Pick<Served, 'baseUrl' | 'url'>
  /** Shell variables that the reader of the page is assumed to have set. */
  variables?: Record<string, string>
  /** Sends the tool call of a code block to the tool that it names. */
  call?: (params: ToolCall) => Promise<ToolAnswer>
}

/** A documentation page that is executed: its requests are sent, and the responses that it prints must match the real ones. */
export interface ExecutedPage {
  /** Executes the page from the current position to the end or to the given heading. */
  runUntil: (until?: string) => Promise<void>
  /** Declares which real value stands for a value that is printed on the page. */
  declareValue: (written: string, real: string) => void
  /** The last response: the result of a tool, otherwise headers and body. */
  last: () => any
  /**
   * Compares an example that is not a response, the next one under the given heading, with a real value. Of a request, the headers are
   * compared.
   */
  expectExample: (heading: string, real: unknown) => void
  /** Fails if part of the page was not executed. With UPDATE_PAGES the corrected page is written. */
  finish: () => void
}

type Answered = { kind: 'http'; answer: HttpAnswer } | { kind: 'tool'; answer: ToolAnswer } | { kind: 'printed'; text: string | null }

/** If UPDATE_PAGES is set, real responses that differ are written into the page. With `all`, every response is written in full. */
const UPDATE = process.env['UPDATE_PAGES']
const EXAMPLE_BASE = 'https://lanyard.example'
const LEAD_SDK = new URL('../../clients/lead-sdk/lib/index.js', import.meta.url).href
const run = promisify(execFile)

export function executePage(name: string, { served, variables = {}, call }: Parts): ExecutedPage {
  const source = readPageSource(name)
  const blocks = parseCodeBlocks(source)
  const shown = createPageValues()
  shown.declare(EXAMPLE_BASE, served.baseUrl)
  const shell = new Map(Object.entries(variables))
  const loose = new Set<CodeBlock>()
  const written = new Map<CodeBlock, string>()
  let [next, last]: [number, any] = [0, undefined]

  const reportDifferences = (block: CodeBlock, problems: readonly string[], truth: () => string) => {
    if (problems.length === 0 && UPDATE !== 'all') return
    if (UPDATE === undefined) throw new Error(`${name}, under “${block.heading}”:\n${problems.slice(0, 12).join('\n')}`)
    written.set(block, `${shown.toWritten(truth())}\n`)
  }

  async function send(block: CodeBlock): Promise<Answered> {
    if (block.language === 'json') return { kind: 'tool', answer: await call!(JSON.parse(shown.toReal(block.text)) as ToolCall) }
    if (block.language !== 'sh')
      return {
        kind: 'printed',
        text: await runProgram(block, block.text.replaceAll(EXAMPLE_BASE, served.baseUrl), Object.fromEntries(shell)),
      }
    let answer: HttpAnswer | undefined
    for (const { url, ...request } of parseCurlRequests(shown.toReal(block.text), shell)) {
      answer = await sendHttp(url.replace(served.baseUrl, served.url('')), request)
    }
    return { kind: 'http', answer: answer! }
  }

  function compareAnswer(said: CodeBlock, answered: Answered): void {
    if (answered.kind === 'printed') {
      const { text } = answered
      return text === null ? undefined : reportDifferences(said, shown.findDifferences(said.text.trim(), text), () => text)
    }
    if (answered.kind === 'tool') return compareToolResult(said, answered.answer)
    const { status, headers, text } = answered.answer
    const body: unknown = /\bjson\b/.test(headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : text
    last = { headers, body }
    if (said.language === 'json') {
      const problems =
        status < 300 ? shown.findDifferences(JSON.parse(said.text), body) : [`the response is ${status}: ${text.slice(0, 300)}`]
      return reportDifferences(said, problems, () => formatShownJson(body))
    }
    compareMessage(said, `HTTP/1.1 ${status}`, headers, body)
  }

  /** Compares the status line, the headers that the page prints, and the body if the page has one. */
  function compareMessage(said: CodeBlock, begins: string, headers: HttpAnswer['headers'], body: unknown): void {
    const [head, tail = ''] = said.text.split(/\n\n/, 2)
    const [first, ...lines] = head!.trim().split('\n')
    const named = lines.map((line) => /^([^:]+): (.*)$/.exec(line)!.slice(1) as [string, string])
    const real = (header: string) => [headers[header.toLowerCase()] ?? '(none)'].flat().join(', ')
    const problems = [
      ...(first!.startsWith(begins) ? [] : [`the page says ${first}, the response is ${begins}`]),
      ...named.flatMap(([header, value]) => shown.findDifferences(value, real(header), header)),
      ...(tail.trim() ? shown.findDifferences(JSON.parse(tail), body) : []),
    ]
    const actualHead = () => [first!.startsWith(begins) ? first : begins, ...named.map(([header]) => `${header}: ${real(header)}`)]
    reportDifferences(said, problems, () => [...actualHead(), ...(tail.trim() ? ['', formatShownJson(body)] : [])].join('\n'))
  }

  function compareToolResult(said: CodeBlock, { isError, content, structuredContent }: ToolAnswer): void {
    last = structuredContent
    const text = content[0]?.text ?? ''
    if (said.language === 'text')
      return reportDifferences(said, isError ? shown.findDifferences(said.text.trim(), text) : ['the call succeeded'], () => text)
    if (isError) throw new Error(`${name}, under “${said.heading}”, the call was refused: ${text}`)
    reportDifferences(said, shown.findDifferences(JSON.parse(said.text), structuredContent), () => formatShownJson(structuredContent))
  }

  const mustSucceed = (block: CodeBlock, answered: Answered) => {
    const failed = answered.kind === 'http' ? answered.answer.status >= 400 : answered.kind === 'tool' && answered.answer.isError
    if (failed) throw new Error(`${name}, under “${block.heading}”: unexpected response: ${JSON.stringify(answered)}`)
    if (answered.kind === 'tool') last = answered.answer.structuredContent
  }

  return {
    declareValue: shown.declare,
    last: () => last,
    async runUntil(until) {
      for (; next < blocks.length && blocks[next]!.heading !== until; next++) {
        const [block, after] = [blocks[next]!, blocks[next + 1]]
        if (!isRequest(block, after)) {
          if (ANSWERS.has(block.language)) loose.add(block)
          continue
        }
        const answered = await send(block)
        if (after && after.heading === block.heading && ANSWERS.has(after.language) && !isRequest(after, blocks[next + 2])) {
          compareAnswer(after, answered)
          next++
        } else mustSucceed(block, answered)
      }
    },
    expectExample(heading, real) {
      const block = blocks.find((one) => one.heading === heading && loose.has(one))
      if (!block) throw new Error(`${name} has no unchecked example under “${heading}”`)
      loose.delete(block)
      if (block.language === 'http') compareMessage(block, 'POST', real as HttpAnswer['headers'], undefined)
      else if (typeof real === 'string') reportDifferences(block, shown.findDifferences(block.text.trim(), real), () => real)
      else reportDifferences(block, shown.findDifferences(JSON.parse(block.text), real), () => formatShownJson(real))
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

/** Whether a code block can be executed: a tool call, a curl command, or a program that is followed by its output. */
function isRequest({ language, use, text, heading }: CodeBlock, after: CodeBlock | undefined): boolean {
  if (language === 'json') return use === 'call'
  if (language === 'sh') return /^\s*(curl|[A-Z_]+=)/.test(text)
  return (language === 'js' || language === 'python') && after?.language === 'text' && after.heading === heading
}

/** Runs a program and returns its output. Without Python installed the printed output is not verified. */
async function runProgram({ language }: CodeBlock, program: string, env: Record<string, string>): Promise<string | null> {
  const file = join(createTestFolder(), language === 'js' ? 'program.mjs' : 'program.py')
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

function withBlocks(source: string, written: ReadonlyMap<CodeBlock, string>): string {
  let text = source
  for (const [{ from, until }, instead] of [...written].toSorted(([a], [b]) => b.from - a.from))
    text = text.slice(0, from) + instead + text.slice(until)
  return text
}
