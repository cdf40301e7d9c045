import { randomBytes } from 'node:crypto'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import { callExample, exampleCallsAt, getConfirmation, EXAMPLES, type Examples, getExamples } from './examples.ts'
import { listIdArguments } from './id-arguments.ts'
import type { Arguments, ToolCaller, Stage } from './stage.ts'

/** An answer that a caller received, searched afterwards for words of clients they may not see. */
export interface RecordedAnswer {
  tool: string
  answer: string
}

export interface RecordingCaller {
  answers: RecordedAnswer[]
  ask: (tool: string, args: Arguments) => Promise<ToolAnswer>
}

export function recordAnswers(person: Pick<ToolCaller, 'answer'>): RecordingCaller {
  const answers: RecordedAnswer[] = []
  return {
    answers,
    async ask(tool, args) {
      const answer = await person.answer(tool, args)
      answers.push({ tool, answer: JSON.stringify(answer) })
      return answer
    },
  }
}

/** A foreign client or event must be refused exactly like one that does not exist, apart from the code in the message. */
async function answersDiffer({ ask }: RecordingCaller, tool: Tool, foreign: CallWithCodes, unknown: CallWithCodes): Promise<boolean> {
  const [there, nowhere] = [
    masked(await ask(tool.name, foreign.args), foreign.names),
    masked(await ask(tool.name, unknown.args), unknown.names),
  ]
  return there !== nowhere
}

interface CallWithCodes {
  args: Arguments
  names: readonly string[]
}

const masked = (answer: ToolAnswer, names: readonly string[]) =>
  names.reduce((text, name, i) => text.replaceAll(name, `<${i}>`), JSON.stringify(answer))

const UNKNOWN = { eventCode: 'never-was-an-event', clientCode: 'never-was-a-client' }

/** Arguments that take an event or client code, also under longer names such as sourceEventCode. */
const codeArgumentsOf = ({ shape }: Tool): { name: string; kind: 'eventCode' | 'clientCode'; many: boolean }[] =>
  Object.entries(shape.properties ?? {}).flatMap(([name, { type }]) => {
    const kind = /event_?codes?$/i.test(name) ? 'eventCode' : /client_?codes?$/i.test(name) ? 'clientCode' : null
    return kind ? [{ name, kind, many: type === 'array' } as const] : []
  })

export interface ForeignScope {
  what: string
  eventCode: string
  /** Omitted if the client is the caller's own and only the event is foreign. */
  clientCode?: string
}

export async function findForeignCodeProblems(
  witness: RecordingCaller,
  stage: Stage,
  tools: readonly Tool[],
  places: readonly ForeignScope[],
  examples: Examples = EXAMPLES,
): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const named = codeArgumentsOf(tool)
    if (named.length === 0) continue
    const args = await getExamples(tool, examples)[0]!(stage)
    for (const place of places) {
      const client = place.clientCode ?? stage.home.clientCode
      const foreign = { eventCode: place.eventCode, clientCode: client }
      const unknown = place.clientCode === undefined ? { ...UNKNOWN, clientCode: client } : UNKNOWN
      const sets = [...named.map((one) => [one]), ...(named.length > 1 ? [named] : [])]
      for (const set of sets.filter((one) => one.some(({ kind }) => foreign[kind] !== unknown[kind]))) {
        const callWith = (codes: Codes) => ({ args: { ...args, ...given(set, codes) }, names: [codes.eventCode, codes.clientCode] })
        const isRevealed = await answersDiffer(witness, tool, callWith(foreign), callWith(unknown))
        if (isRevealed) problems.push(`${tool.name} reveals ${place.what} through ${set.map(({ name }) => name).join(' and ')}`)
      }
    }
  }
  return problems
}

type Codes = typeof UNKNOWN

const given = (set: ReturnType<typeof codeArgumentsOf>, codes: Codes): Arguments =>
  Object.fromEntries(set.map(({ name, kind, many }) => [name, many ? [codes[kind]] : codes[kind]]))

export interface ForeignStage {
  what: string
  stage: Stage
  /** Names of arguments whose records the caller may use there too. */
  shared?: ReadonlySet<string>
}

/** An id that exists elsewhere must be refused exactly like one that does not exist. */
export async function findForeignIdProblems(
  witness: RecordingCaller,
  stage: Stage,
  tools: readonly Tool[],
  elsewhere: readonly ForeignStage[],
  examples: Examples = EXAMPLES,
): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const idArguments = listIdArguments(tool)
    const checked = new Set<string>()
    for (const example of idArguments.length > 0 ? getExamples(tool, examples) : []) {
      const args = await example(stage)
      // An id that an earlier example gave to the same action would be looked up by the same code.
      const nameOf = ({ path }: { path: readonly string[] }) => JSON.stringify([args.action, path])
      const ids = idArguments.filter((one) => one.read(args) !== undefined && !checked.has(nameOf(one)))
      for (const one of ids) checked.add(nameOf(one))
      for (const other of ids.length > 0 ? elsewhere : []) {
        const foreign = await example(other.stage)
        for (const { path, read, replace } of ids) {
          if (other.shared?.has(path.findLast((key) => key !== '*')!)) continue
          const id = read(foreign)
          if (id === undefined) continue
          const never = `f${randomBytes(12).toString('hex').slice(1)}`
          const isRevealed = await answersDiffer(
            witness,
            tool,
            { args: replace(args, id), names: [id] },
            { args: replace(args, never), names: [never] },
          )
          if (isRevealed) problems.push(`${tool.name} reveals ${other.what} through ${path.join('/')}`)
        }
      }
    }
  }
  return [...new Set(problems)]
}

/** Searches answers and log lines for words that were planted at other clients. */
export function findLeakedWords(answers: readonly RecordedAnswer[], logged: readonly string[], words: readonly string[]): string[] {
  const leaks = answers.flatMap(({ tool, answer }) => words.filter((word) => has(answer, word)).map((word) => `${tool} leaked ${word}`))
  const lines = logged.flatMap((line) => words.filter((word) => has(line, word)).map((word) => `the log contains ${word}`))
  return [...new Set([...leaks, ...lines])]
}

const has = (text: string, word: string) => text.toLowerCase().includes(word)

/** Makes every example call at a stage, so that every tool has data there that it could leak. */
export async function makeEveryExampleCall(stage: Stage, tools: readonly Tool[], examples: Examples = EXAMPLES): Promise<void> {
  for await (const call of exampleCallsAt(stage, tools, examples)) await callExample(call, await getConfirmation(call))
}

export const foreignScopeOf = (what: string, { home }: Stage): ForeignScope => ({
  what,
  eventCode: home.eventCode,
  clientCode: home.clientCode,
})

export const archivedScopeOf = (what: string, stage: Stage): ForeignScope => ({
  ...foreignScopeOf(what, stage),
  eventCode: stage.home.eventCode.replace('home', 'archived'),
})
