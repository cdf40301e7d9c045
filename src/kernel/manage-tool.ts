import type { z } from 'zod'
import { oneOf } from './args.ts'
import type { Context, EventContext } from './context.ts'
import type { FieldError } from './errors.ts'
import type { Permission, ToolsetName } from './permissions.ts'
import { type ToolDeclaration, eventTool, type Tool } from './tool.ts'

type Shape = z.ZodRawShape
type Optional<I extends Shape> = { [K in keyof I]: z.ZodOptional<I[K]> }
/** The arguments of an action: the arguments it needs are required, all others of the tool are optional. */
type Arguments<I extends Shape, Needed extends keyof I = never> = z.output<z.ZodObject<Optional<I>>> &
  z.output<z.ZodObject<Pick<I, Needed>>>

interface Action<C extends Context, I extends Shape, Needed extends keyof I & string, Result, Fetched> {
  /** Arguments that the action requires. */
  needs: readonly Needed[]
  /** Optional arguments of the action. */
  takes: readonly (keyof I & string)[]
  /** True if the action changes nothing. It then needs only the toolset's read permission and writes no audit row. */
  reads: boolean
  /** Permissions that the action needs in addition to the tool's own. */
  also: readonly Permission[]
  run: (ctx: C, input: Arguments<I, Needed>, fetched: Fetched) => Promise<Result>
}

type AnyAction<C extends Context, I extends Shape, Result, Fetched> = Action<C, I, never, Result, Fetched>

interface ActionOptions<I extends Shape> {
  takes?: readonly (keyof I & string)[]
  also?: readonly Permission[]
}

/** Functions that declare actions with their required and optional arguments. Their names are checked against the tool's `input`. */
interface ActionBuilder<C extends Context, I extends Shape, Result, Fetched> {
  read: <Needed extends keyof I & string>(
    needs: readonly Needed[],
    run: Action<C, I, Needed, Result, Fetched>['run'],
    options?: ActionOptions<I>,
  ) => AnyAction<C, I, Result, Fetched>
  change: <Needed extends keyof I & string>(
    needs: readonly Needed[],
    run: Action<C, I, Needed, Result, Fetched>['run'],
    options?: ActionOptions<I>,
  ) => AnyAction<C, I, Result, Fetched>
}

interface ManageDeclaration<I extends Shape, O extends Shape, R> extends Omit<
  ToolDeclaration<EventContext, I, O, R>,
  'input' | 'run' | 'permission' | 'findArgumentErrors' | 'callPermissions' | 'readsOnly' | 'prefetch' | 'confirm'
> {
  /** The toolset whose permissions the actions need: its read permission if they only read, otherwise its write permission. */
  area: ToolsetName
  input: I
  actions: (
    action: ActionBuilder<EventContext, I, z.input<z.ZodObject<O>>, R>,
  ) => Record<string, AnyAction<EventContext, I, z.input<z.ZodObject<O>>, R>>
  prefetch?: (
    ctx: Parameters<NonNullable<ToolDeclaration<EventContext, I, O, R>['prefetch']>>[0],
    input: Arguments<I> & { action: string },
  ) => Promise<R>
  confirm?: (input: Arguments<I> & { action: string }) => boolean
}

/**
 * A tool with an `action` and flat optional arguments. Some clients reject schemas with alternatives, so the arguments of each action are
 * checked here, together with all other errors of the call. An argument that the action would ignore is rejected rather than dropped.
 */
export function multiActionEventTool<I extends Shape, O extends Shape, R = undefined>({
  area,
  actions: declare,
  input,
  prefetch,
  confirm,
  ...rest
}: ManageDeclaration<I, O, R>): Tool {
  const build =
    (reads: boolean) =>
    (needs: readonly string[], run: unknown, { takes = [], also = [] }: ActionOptions<I> = {}) =>
      ({ needs, takes, reads, also, run }) as never
  const actions = declare({ read: build(true), change: build(false) })
  const find = (name: unknown) => (typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined)
  const [read, write] = [`${area}.read`, `${area}.write`] as const
  const hasReads = Object.values(actions).some(({ reads }) => reads)
  const optional = Object.fromEntries(Object.entries(input).map(([name, type]) => [name, (type as z.ZodType).optional()]))
  const declaration: ToolDeclaration<EventContext, Shape, O, R> = {
    ...(rest as object as ToolDeclaration<EventContext, Shape, O, R>),
    permission: hasReads ? read : write,
    callPermissions: ({ action: name }) => {
      const action = find(name)
      return action ? [...(action.reads || !hasReads ? [] : [write]), ...action.also] : []
    },
    readsOnly: ({ action: name }) => find(name)?.reads ?? false,
    input: { action: oneOf(Object.keys(actions) as [string, ...string[]]), ...optional },
    findArgumentErrors: ({ action: name, ...sent }) => {
      const action = find(name)
      const own = Object.keys(sent).filter((argument) => Object.hasOwn(input, argument) && sent[argument] !== undefined)
      return action ? findActionErrors(name as string, action, own) : []
    },
    run: (ctx, given, fetched) => {
      const { action, ...sent } = given as { action: string } & Record<string, unknown>
      return find(action)!.run(ctx, sent as never, fetched)
    },
    ...(prefetch ? { prefetch: prefetch as never } : {}),
    ...(confirm ? { confirm: confirm as never } : {}),
  }
  return eventTool<Shape, O, R>(declaration)
}

function findActionErrors(
  name: string,
  { needs, takes }: { needs: readonly string[]; takes: readonly string[] },
  sent: string[],
): FieldError[] {
  const known = [...needs, ...takes]
  return [
    ...needs.filter((argument) => !sent.includes(argument)).map((path) => ({ path, message: `is required for action ${name}` })),
    ...sent
      .filter((argument) => !known.includes(argument))
      .map((path) => ({ path, message: `is not accepted by action ${name}`, allowed: known })),
  ]
}
