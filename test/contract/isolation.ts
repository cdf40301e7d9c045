import { randomBytes } from 'node:crypto'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import { answerTo, callsAt, confirmationOf, EXAMPLES, type Examples, examplesOf } from './examples.ts'
import { idArgumentsOf } from './id-arguments.ts'
import type { Arguments, Caller, Stage } from './stage.ts'

/** Everything that a person was told, to be searched for words of places they have no business in. */
export interface Told {
  tool: string
  answer: string
}

export interface Witness {
  told: Told[]
  ask: (tool: string, args: Arguments) => Promise<ToolAnswer>
}

export function witnessOf(person: Pick<Caller, 'answer'>): Witness {
  const told: Told[] = []
  return {
    told,
    async ask(tool, args) {
      const answer = await person.answer(tool, args)
      told.push({ tool, answer: JSON.stringify(answer) })
      return answer
    },
  }
}

/** A foreign place must answer as one that never was, but for the name that was asked for. */
async function differs({ ask }: Witness, tool: Tool, foreign: Asked, unknown: Asked): Promise<boolean> {
  const [there, nowhere] = [
    masked(await ask(tool.name, foreign.args), foreign.names),
    masked(await ask(tool.name, unknown.args), unknown.names),
  ]
  return there !== nowhere
}

interface Asked {
  args: Arguments
  names: readonly string[]
}

const masked = (answer: ToolAnswer, names: readonly string[]) =>
  names.reduce((text, name, i) => text.replaceAll(name, `<${i}>`), JSON.stringify(answer))

const UNKNOWN = { eventCode: 'never-was-an-event', clientCode: 'never-was-a-client' }

/** Arguments that name an event or a client, under whatever longer name. */
const codeArgumentsOf = ({ shape }: Tool): { name: string; kind: 'eventCode' | 'clientCode'; many: boolean }[] =>
  Object.entries(shape.properties ?? {}).flatMap(([name, { type }]) => {
    const kind = /event_?codes?$/i.test(name) ? 'eventCode' : /client_?codes?$/i.test(name) ? 'clientCode' : null
    return kind ? [{ name, kind, many: type === 'array' } as const] : []
  })

export interface ForeignPlace {
  what: string
  eventCode: string
  /** Absent where the client is the caller's own and only its event is not. */
  clientCode?: string
}

export async function problemsOfCodes(
  witness: Witness,
  stage: Stage,
  tools: readonly Tool[],
  places: readonly ForeignPlace[],
  examples: Examples = EXAMPLES,
): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const named = codeArgumentsOf(tool)
    if (named.length === 0) continue
    const args = await examplesOf(tool, examples)[0]!(stage)
    for (const place of places) {
      const client = place.clientCode ?? stage.home.clientCode
      const foreign = { eventCode: place.eventCode, clientCode: client }
      const unknown = place.clientCode === undefined ? { ...UNKNOWN, clientCode: client } : UNKNOWN
      const sets = [...named.map((one) => [one]), ...(named.length > 1 ? [named] : [])]
      for (const set of sets.filter((one) => one.some(({ kind }) => foreign[kind] !== unknown[kind]))) {
        const asked = (codes: Codes) => ({ args: { ...args, ...given(set, codes) }, names: [codes.eventCode, codes.clientCode] })
        const told = await differs(witness, tool, asked(foreign), asked(unknown))
        if (told) problems.push(`${tool.name} tells by ${set.map(({ name }) => name).join(' and ')} of ${place.what}`)
      }
    }
  }
  return problems
}

type Codes = typeof UNKNOWN

const given = (set: ReturnType<typeof codeArgumentsOf>, codes: Codes): Arguments =>
  Object.fromEntries(set.map(({ name, kind, many }) => [name, many ? [codes[kind]] : codes[kind]]))

/** An id that exists elsewhere must answer as one that exists nowhere. */
export async function problemsOfIds(
  witness: Witness,
  stage: Stage,
  tools: readonly Tool[],
  elsewhere: readonly { what: string; stage: Stage; shared?: ReadonlySet<string> }[],
  examples: Examples = EXAMPLES,
): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const ids = idArgumentsOf(tool)
    for (const example of ids.length > 0 ? examplesOf(tool, examples) : []) {
      const args = await example(stage)
      for (const other of elsewhere) {
        const foreign = await example(other.stage)
        for (const { path, read, replace } of ids) {
          if (other.shared?.has(path[0]!)) continue
          const id = read(foreign)
          if (id === undefined || read(args) === undefined) continue
          const never = `f${randomBytes(12).toString('hex').slice(1)}`
          const told = await differs(
            witness,
            tool,
            { args: replace(args, id), names: [id] },
            { args: replace(args, never), names: [never] },
          )
          if (told) problems.push(`${tool.name} tells by ${path.join('/')} of ${other.what}`)
        }
      }
    }
  }
  return [...new Set(problems)]
}

/** Words that were planted elsewhere, in whatever an organizer was told or the log keeps. */
export function problemsOfLeaks(told: readonly Told[], logged: readonly string[], words: readonly string[]): string[] {
  const leaks = told.flatMap(({ tool, answer }) => words.filter((word) => has(answer, word)).map((word) => `${tool} told of ${word}`))
  const lines = logged.flatMap((line) => words.filter((word) => has(line, word)).map((word) => `the log tells of ${word}`))
  return [...new Set([...leaks, ...lines])]
}

const has = (text: string, word: string) => text.toLowerCase().includes(word)

/** Makes every example of every tool there, so that there is something behind whatever a tool could find. */
export async function populate(stage: Stage, tools: readonly Tool[], examples: Examples = EXAMPLES): Promise<void> {
  for await (const call of callsAt(stage, tools, examples)) await answerTo(call, await confirmationOf(call))
}

export const placeOf = (what: string, { home }: Stage): ForeignPlace => ({ what, eventCode: home.eventCode, clientCode: home.clientCode })

export const archivedOf = (what: string, stage: Stage): ForeignPlace => ({
  ...placeOf(what, stage),
  eventCode: stage.home.eventCode.replace('home', 'archived'),
})
