import { z } from 'zod'
import { toOneLine, code, count, describe, flag, list, text } from './args.ts'
import type { AccountContext, ClientContext, EventContext, OperatorContext } from './context.ts'
import type { ToolCallDatabaseFunction, SingleStatementChange } from './commit-change.ts'
import { type EmptyFields, findEmptyFields } from './empty-fields.ts'
import type { FieldError } from './errors.ts'
import type { ESignServices } from './esign.ts'
import type { Fetcher } from './fetcher.ts'
import type { HotelServices } from './hotel-providers.ts'
import { type InputShape, toInputShape } from './input-shape.ts'
import { type JsonSchema, toAnnotatedSchema } from './annotated-schema.ts'
import { makeLazy } from './lazy.ts'
import type { Permission } from './permissions.ts'
import type { FileStore, Log, TaxNumberVerifier, LanguageModel } from './ports.ts'
import { listUntrustedTextPaths, toClientVisibleSchema } from './wire.ts'

export type ToolEffect = 'read' | 'change' | 'destructive'
export type ToolScope = 'account' | 'client' | 'event' | 'signIn' | 'person' | 'registrant' | 'operator'

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema: JsonSchema
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
}

/** The complete definition of a tool. Lists, discovery, documentation, checks, audit and tests all derive from it. */
export interface Tool {
  name: string
  title: string
  description: string
  scope: ToolScope
  effect: ToolEffect
  /** Permissions that the caller needs, all of them. If the list is empty, any membership or staff role is enough. */
  permissions: readonly Permission[]
  /** Permissions that a call with these arguments needs in addition to `permissions`. */
  callPermissions: (sent: Record<string, unknown>) => readonly Permission[]
  /** Whether a call with these arguments changes nothing. */
  readsOnly: (sent: Record<string, unknown>) => boolean
  input: z.ZodObject
  /** The schema of each argument. Use this instead of the wire schema (the schema that clients see), which is abbreviated. */
  shape: InputShape
  /** Returns errors that concern several arguments, such as one argument that requires another. */
  findArgumentErrors: (sent: Record<string, unknown>) => readonly FieldError[]
  output: z.ZodObject
  /** The arguments that the tool's function receives, without the codes of client and event, and without those for the call pipeline. */
  ownArguments: readonly string[]
  wire: ListedTool
  /** Paths in the result that contain untrusted text; `*` stands for any index. */
  outside: readonly (readonly string[])[]
  /** The result fields that clients get only if they are not empty; null if all fields are always returned. */
  emptyFields: EmptyFields | null
  /** Whether the tool accepts `idempotencyKey`. */
  keyed: boolean
  /** Whether the tool accepts `dryRun`. */
  previews: boolean
  /** Whether the tool accepts `confirmToken`. */
  confirmable: boolean
  /** Whether this call requires a confirm token regardless of its effects. */
  alwaysConfirms: (input: Record<string, unknown>) => boolean
  /** Converts the result to the form that a dry run reports. */
  toPreview: (result: object) => object
  /** Fields of the result that only a dry run returns. */
  previewOnly: readonly string[]
  servesInactiveClients: boolean
  /** Whether a read may use a replica that lags a few seconds behind. The read always shows the caller's own changes. */
  toleratesLag: boolean
  /** The error message if the tool requires a registration and the caller's sign-in session has none. */
  unidentifiedMessage: string
  claim: ((ctx: never, input: never) => Promise<(() => Promise<void>) | null>) | null
  prefetch: ((ctx: never, input: never) => Promise<unknown>) | null
  prefetchOnDemand: boolean
  runAtOnce: ((ctx: never, input: never, statement: SingleStatementChange) => Promise<unknown>) | null
  prepareAtOnce: ((place: UnverifiedCallScope, input: never) => ToolCallDatabaseFunction | null) | null
  run: (ctx: never, input: never, prefetched: never) => Promise<unknown>
  afterCommit: ((ctx: never, result: never) => Promise<unknown>) | null
}

type Shape = z.ZodRawShape

/** The details of a call that are known before its caller is verified. */
export interface UnverifiedCallScope {
  eventId: string
  baseUrl: string
}

/** The context of `prefetch`, which may use the network and the file store. Its `db` is outside any transaction. */
export type PrefetchContext<C> = C & {
  fetcher: Fetcher
  files: FileStore
  model: LanguageModel | null
  taxNumberVerifier: TaxNumberVerifier | null
  hotels: HotelServices | null
  esign: ESignServices | null
  log: Log
  /** Whether the call is a dry run, for which nothing may be stored. */
  isDryRun: boolean
}

/** The context of `afterCommit`, which may wait for external calls that the change scheduled. Its `db` is outside any transaction. */
export type AfterCommitContext<C> = C & { settle: (callIds: readonly string[]) => Promise<void> }

export interface ToolDeclaration<C, I extends Shape, O extends Shape, R = undefined> {
  name: string
  title: string
  description: string
  effect: ToolEffect
  /** The permissions that a caller needs. Null: any membership or staff role is enough. */
  permission: Permission | readonly Permission[] | null
  callPermissions?: Tool['callPermissions']
  readsOnly?: Tool['readsOnly']
  input: I
  output: O
  /** Whether repeating the same call has no further effect. Always true for reads. */
  idempotent?: boolean
  /** Whether the tool sends, charges, signs or contacts a third party. */
  openWorld?: boolean
  keyed?: boolean
  dryRun?: boolean
  /** Whether some calls need a confirm token although the tool is not destructive. Destructive organizer tools always accept one. */
  confirmable?: boolean
  confirm?: (input: z.output<z.ZodObject<I>>) => boolean
  findArgumentErrors?: Tool['findArgumentErrors']
  /** Returns new values for fields of a dry run's result that would otherwise report something as done. */
  toPreview?: (result: z.input<z.ZodObject<O>>) => Partial<z.input<z.ZodObject<O>>>
  /** Optional fields of the result that only a dry run returns, such as the text of an email that the real call sends. */
  previewOnly?: readonly (keyof O & string)[]
  servesInactiveClients?: boolean
  toleratesLag?: boolean
  unidentifiedMessage?: string
  /**
   * Claims a resource that only one call may use at a time, before `prefetch`, or throws if another call holds it. The returned function
   * ends the claim after the call, also after a failed one. A claim must expire by itself, because the process may crash.
   */
  claim?: (ctx: C, input: z.output<z.ZodObject<I>>) => Promise<(() => Promise<void>) | null>
  /**
   * Makes external requests before the transaction begins, so that no row locks are held while waiting. `run` receives the returned
   * value.
   */
  prefetch?: (ctx: PrefetchContext<C>, input: z.output<z.ZodObject<I>>) => Promise<R>
  /**
   * Whether `prefetch` runs only if `run` throws `PrefetchNeededError`, for tools that rarely need it. `run` is called without a value first.
   */
  prefetchOnDemand?: boolean
  /**
   * Runs the call as one statement, without a transaction around it, for tools that are called very often. Returns null if the call has
   * changed nothing because it needs several statements; `run` is then called. Must not use the `db` of the context. Not for tools with
   * `keyed`, `dryRun` or `confirmable`.
   */
  runAtOnce?: (ctx: C, input: z.output<z.ZodObject<I>>, statement: SingleStatementChange) => Promise<z.input<z.ZodObject<O>> | null>
  /**
   * Returns the statement of `runAtOnce` before the caller is verified, so that both run in one round trip; null if the statement depends
   * on the caller or on stored data. `runAtOnce` then receives the statement's rows.
   */
  prepareAtOnce?: (place: UnverifiedCallScope, input: z.output<z.ZodObject<I>>) => ToolCallDatabaseFunction | null
  run: (ctx: C, input: z.output<z.ZodObject<I>>, fetched: R) => Promise<z.input<z.ZodObject<O>>>
  /**
   * Updates the result after external calls have finished or the request has waited long enough. Runs again when the call is repeated
   * with the same key.
   */
  afterCommit?: (ctx: AfterCommitContext<C>, result: z.output<z.ZodObject<O>>) => Promise<z.input<z.ZodObject<O>>>
}

/** Declares a tool outside any client or event, such as a search across all clients and events that the organizer can access. */
export const accountTool = <I extends Shape, O extends Shape>(declaration: ToolDeclaration<AccountContext, I, O>): Tool =>
  tool('account', {}, declaration)

export const clientTool = <I extends Shape, O extends Shape, R = undefined>(declaration: ToolDeclaration<ClientContext, I, O, R>): Tool =>
  tool('client', { clientCode: code() }, declaration)

export const eventTool = <I extends Shape, O extends Shape, R = undefined>(declaration: ToolDeclaration<EventContext, I, O, R>): Tool =>
  tool('event', { eventCode: code(), clientCode: code().optional() }, declaration)

/**
 * Declares a tool for the operator of the installation, outside all tenants. The token of the operator's endpoint is the only permission.
 */
export const operatorTool = <I extends Shape, O extends Shape>(
  declaration: Omit<ToolDeclaration<OperatorContext, I, O>, 'permission'>,
): Tool => tool('operator', {}, { ...declaration, permission: null })

/** Arguments that the call pipeline processes, and that tools do not receive. */
const idempotencyKey = {
  idempotencyKey: describe(
    text(200),
    'A unique text for this call. Repeating the call with the same key within 24 hours returns the first result and does nothing again.',
  ).optional(),
}
const dryRun = { dryRun: describe(flag(), 'Saves nothing. The result shows exactly what the call would do.').optional() }
const confirmToken = {
  confirmToken: describe(
    text(4000),
    'The `confirmToken` from a dry run of the same call. Valid once, for 10 minutes, while the call would still have the same effect.',
  ).optional(),
}

/** Fields that a dry run of a destructive tool adds to the result. */
const preview = {
  dryRun: describe(z.literal(true), 'Nothing was saved.').optional(),
  effects: describe(
    toOneLine(
      z.strictObject({
        recipients: count(),
        deletes: count(),
        charges: count(),
        changes: count(),
        samples: list(z.looseObject({})),
      }),
      'recipients, deletes, charges, changes, samples[]',
    ),
    'What a real call would do: number of emails, deletions, charges and changes, with examples.',
  ).optional(),
  confirmToken: describe(z.string(), 'Token for the real call, valid for 10 minutes.').optional(),
}

export function tool<C, I extends Shape, O extends Shape, R = undefined>(
  scope: ToolScope,
  scopeArguments: Shape,
  declaration: ToolDeclaration<C, I, O, R>,
): Tool {
  const { name, title, description, effect } = declaration
  const destructive = effect === 'destructive'
  const organizers = scope === 'account' || scope === 'client' || scope === 'event'
  const confirmable = declaration.confirmable ?? (destructive && organizers)
  const previews = declaration.dryRun ?? confirmable
  const keyed = declaration.keyed ?? false
  if (declaration.runAtOnce && (keyed || previews || confirmable)) throw new Error(`${name} cannot run as one statement`)
  const input = z.strictObject({
    ...scopeArguments,
    ...declaration.input,
    ...(keyed ? idempotencyKey : {}),
    ...(previews ? dryRun : {}),
    ...(confirmable ? confirmToken : {}),
  })
  // If the tool itself declares a result field `effects`, that field replaces the one that dry runs add.
  const output = z.strictObject({ ...(previews ? preview : {}), ...declaration.output })
  const [inputSchema, outputSchema] = [makeLazy(() => toAnnotatedSchema(input)), makeLazy(() => toAnnotatedSchema(output))]
  const shape = makeLazy(() => toInputShape(inputSchema()))
  const outside = makeLazy(() => listUntrustedTextPaths(outputSchema()))
  const emptyFields = makeLazy(() => findEmptyFields(outputSchema()))
  const wire = makeLazy(() => ({
    name,
    title,
    description,
    inputSchema: toClientVisibleSchema(inputSchema()),
    outputSchema: toClientVisibleSchema(outputSchema()),
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
    callPermissions: declaration.callPermissions ?? (() => []),
    readsOnly: declaration.readsOnly ?? (() => effect === 'read'),
    input,
    get shape() {
      return shape()
    },
    findArgumentErrors: declaration.findArgumentErrors ?? (() => []),
    output,
    ownArguments: Object.keys(declaration.input),
    get outside() {
      return outside()
    },
    get emptyFields() {
      return emptyFields()
    },
    keyed,
    previews,
    confirmable,
    alwaysConfirms: (declaration.confirm as Tool['alwaysConfirms'] | undefined) ?? (() => false),
    toPreview: (result) => ({ ...result, ...declaration.toPreview?.(result as never) }),
    previewOnly: declaration.previewOnly ?? [],
    servesInactiveClients: declaration.servesInactiveClients ?? false,
    toleratesLag: declaration.toleratesLag ?? false,
    unidentifiedMessage: declaration.unidentifiedMessage ?? 'No verified participant identity for this run.',
    claim: (declaration.claim as Tool['claim'] | undefined) ?? null,
    prefetch: (declaration.prefetch as Tool['prefetch']) ?? null,
    prefetchOnDemand: declaration.prefetchOnDemand ?? false,
    runAtOnce: (declaration.runAtOnce as Tool['runAtOnce'] | undefined) ?? null,
    prepareAtOnce: (declaration.prepareAtOnce as Tool['prepareAtOnce'] | undefined) ?? null,
    run: declaration.run as Tool['run'],
    afterCommit: (declaration.afterCommit as Tool['afterCommit'] | undefined) ?? null,
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
