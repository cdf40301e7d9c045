import { z } from 'zod'
import { brief, code, count, flag, list, text } from './args.ts'
import type { AccountContext, ClientContext, EventContext, OperatorContext } from './context.ts'
import type { FieldError } from './errors.ts'
import type { Fetcher } from './fetcher.ts'
import { type InputShape, shapeOf } from './input-shape.ts'
import { type JsonSchema, markedSchema } from './marked-schema.ts'
import { onDemand } from './on-demand.ts'
import type { Permission } from './permissions.ts'
import type { FileStore, TaxOffices, TextModel } from './ports.ts'
import { outsidePaths, wireSchema } from './wire.ts'

export type Effect = 'read' | 'change' | 'destructive'
export type Scope = 'account' | 'client' | 'event' | 'signIn' | 'person' | 'registrant' | 'operator'

/** What `tools/list` shows of a tool. */
export interface WireTool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema: JsonSchema
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
}

/** One tool, whole. Lists, discovery, documentation, checks, audit and tests are all made from this and nothing else. */
export interface Tool {
  name: string
  title: string
  description: string
  scope: Scope
  effect: Effect
  /** All of them are needed; none: any membership or staff role will do. */
  permissions: readonly Permission[]
  input: z.ZodObject
  /** The same as a tree that can be walked; never the wire form, which is only for showing. */
  shape: InputShape
  /** What is wrong with arguments that are right one by one, such as one that another one needs. */
  faultsOf: (sent: Record<string, unknown>) => readonly FieldError[]
  output: z.ZodObject
  /** The arguments its function is given; those of scope and road it never sees. */
  own: readonly string[]
  wire: WireTool
  /** Paths of the result that hold text from outside; `*` is any index. */
  outside: readonly (readonly string[])[]
  /** Takes `idempotencyKey`. */
  keyed: boolean
  /** Takes `dryRun`. */
  previews: boolean
  /** Takes `confirmToken`. */
  confirmable: boolean
  /** Whether this call always needs a confirm token, however small it is. */
  confirms: (input: Record<string, unknown>) => boolean
  /** The result as a dry run tells it. */
  previewed: (result: object) => object
  servesInactiveClients: boolean
  /** What a session that came before any registration is told, where the tool needs one. */
  unidentified: string
  reach: ((ctx: never, input: never) => Promise<unknown>) | null
  run: (ctx: never, input: never, reached: never) => Promise<unknown>
  settled: ((ctx: never, result: never) => Promise<unknown>) | null
}

type Shape = z.ZodRawShape

/** What may go out, and read and keep files. Its `db` is in no transaction: each statement stands for itself. */
export type Reaching<C> = C & { fetcher: Fetcher; files: FileStore; model: TextModel | null; taxOffices: TaxOffices | null }

/** After the commit: may wait for calls to the outside that the change left behind. Its `db` is in no transaction. */
export type Settling<C> = C & { settle: (callIds: readonly string[]) => Promise<void> }

export interface Declaration<C, I extends Shape, O extends Shape, R = undefined> {
  name: string
  title: string
  description: string
  effect: Effect
  /** Null: any membership or staff role will do. */
  permission: Permission | readonly Permission[] | null
  input: I
  output: O
  /** A second identical call leaves the same state. Reads always do. */
  idempotent?: boolean
  /** Sends, charges, signs or reaches a third party. */
  openWorld?: boolean
  keyed?: boolean
  dryRun?: boolean
  /** Not destructive, and yet some of its calls need a confirm token. Destructive tools of organizers always are. */
  confirmable?: boolean
  confirm?: (input: z.output<z.ZodObject<I>>) => boolean
  faultsOf?: Tool['faultsOf']
  /** What a dry run must say otherwise, because it says that something was done. */
  previewed?: (result: z.input<z.ZodObject<O>>) => Partial<z.input<z.ZodObject<O>>>
  servesInactiveClients?: boolean
  unidentified?: string
  /** Asks somebody outside, before the transaction begins: one that waited for others would keep its rows from everybody. `run` is given what it brought. */
  reach?: (ctx: Reaching<C>, input: z.output<z.ZodObject<I>>) => Promise<R>
  run: (ctx: C, input: z.output<z.ZodObject<I>>, reached: R) => Promise<z.input<z.ZodObject<O>>>
  /** Tells the result as it stands once the outside has answered, or the request has waited long enough; whoever repeats the call is told anew. */
  settled?: (ctx: Settling<C>, result: z.output<z.ZodObject<O>>) => Promise<z.input<z.ZodObject<O>>>
}

/** An organizer's tool that is at no client or event: lists and searches over all that is theirs. */
export const accountTool = <I extends Shape, O extends Shape>(declaration: Declaration<AccountContext, I, O>): Tool =>
  tool('account', {}, declaration)

export const clientTool = <I extends Shape, O extends Shape, R = undefined>(declaration: Declaration<ClientContext, I, O, R>): Tool =>
  tool('client', { clientCode: code() }, declaration)

export const eventTool = <I extends Shape, O extends Shape, R = undefined>(declaration: Declaration<EventContext, I, O, R>): Tool =>
  tool('event', { eventCode: code(), clientCode: code().optional() }, declaration)

/** A tool of whoever runs the installation, at no tenant. The endpoint's token is the permission. */
export const operatorTool = <I extends Shape, O extends Shape>(declaration: Omit<Declaration<OperatorContext, I, O>, 'permission'>): Tool =>
  tool('operator', {}, { ...declaration, permission: null })

/** Arguments that the road takes for itself. */
const idempotencyKey = { idempotencyKey: text(200).optional() }
const dryRun = { dryRun: flag().optional() }
const confirmToken = { confirmToken: text(4000).optional() }

/** What a dry run of a destructive tool adds to its result. */
const preview = {
  dryRun: z.literal(true).optional(),
  effects: brief(
    z.strictObject({ recipients: count(), deletes: count(), charges: count(), changes: count(), samples: list(z.looseObject({})) }),
    'recipients, deletes, charges, changes, samples[]',
  ).optional(),
  confirmToken: z.string().optional(),
}

export function tool<C, I extends Shape, O extends Shape, R = undefined>(
  scope: Scope,
  scopeArguments: Shape,
  declaration: Declaration<C, I, O, R>,
): Tool {
  const { name, title, description, effect } = declaration
  const destructive = effect === 'destructive'
  const organizers = scope === 'account' || scope === 'client' || scope === 'event'
  const confirmable = declaration.confirmable ?? (destructive && organizers)
  const previews = declaration.dryRun ?? confirmable
  const keyed = declaration.keyed ?? false
  const input = z.strictObject({
    ...scopeArguments,
    ...declaration.input,
    ...(keyed ? idempotencyKey : {}),
    ...(previews ? dryRun : {}),
    ...(confirmable ? confirmToken : {}),
  })
  // A tool with effects of its own to tell tells those.
  const output = z.strictObject({ ...(previews ? preview : {}), ...declaration.output })
  const [taken, told] = [onDemand(() => markedSchema(input)), onDemand(() => markedSchema(output))]
  const shape = onDemand(() => shapeOf(taken()))
  const outside = onDemand(() => outsidePaths(told()))
  const wire = onDemand(() => ({
    name,
    title,
    description,
    inputSchema: wireSchema(taken()),
    outputSchema: wireSchema(told()),
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      destructiveHint: destructive,
      idempotentHint: effect === 'read' || (declaration.idempotent ?? false),
      openWorldHint: declaration.openWorld ?? false,
    },
  }))
  return {
    name,
    title,
    description,
    scope,
    effect,
    permissions: declaration.permission === null ? [] : [declaration.permission].flat(),
    input,
    get shape() {
      return shape()
    },
    faultsOf: declaration.faultsOf ?? (() => []),
    output,
    own: Object.keys(declaration.input),
    get outside() {
      return outside()
    },
    keyed,
    previews,
    confirmable,
    confirms: (declaration.confirm as Tool['confirms'] | undefined) ?? (() => false),
    previewed: (result) => ({ ...result, ...declaration.previewed?.(result as never) }),
    servesInactiveClients: declaration.servesInactiveClients ?? false,
    unidentified: declaration.unidentified ?? 'No verified participant identity for this run.',
    reach: (declaration.reach as Tool['reach']) ?? null,
    run: declaration.run as Tool['run'],
    settled: (declaration.settled as Tool['settled'] | undefined) ?? null,
    get wire() {
      return wire()
    },
  }
}

export interface Toolset<N extends string = string> {
  name: N
  tools: readonly Tool[]
}

export const toolset = <N extends string>(name: N, tools: readonly Tool[]): Toolset<N> => ({ name, tools })
