import { z } from 'zod'
import { oneOf } from './args.ts'
import type { ClientContext, Context, EventContext } from './context.ts'
import type { FieldError } from './errors.ts'
import { clientTool, type Declaration, eventTool, type Tool } from './tool.ts'

type Shape = z.ZodRawShape
type Optional<I extends Shape> = { [K in keyof I]: z.ZodOptional<I[K]> }
type Arguments<I extends Shape> = z.output<z.ZodObject<Optional<I>>>

interface Action<C extends Context, I extends Shape, N extends keyof I & string, Result> {
  needs?: readonly N[]
  takes?: readonly N[]
  run: (ctx: C, input: Arguments<I>) => Promise<Result>
}

type Actions<C extends Context, I extends Shape, O extends Shape> = Record<string, Action<C, I, keyof I & string, z.input<z.ZodObject<O>>>>

interface ManageDeclaration<C extends Context, I extends Shape, O extends Shape> extends Omit<
  Declaration<C, I, O>,
  'input' | 'run' | 'confirm' | 'claim' | 'prefetch' | 'findArgumentErrors'
> {
  input: I
  actions: Actions<C, I, O>
}

export const manageEventTool = <I extends Shape, O extends Shape>(declaration: ManageDeclaration<EventContext, I, O>): Tool =>
  manageTool<EventContext, I, O>(eventTool, declaration)

export const manageClientTool = <I extends Shape, O extends Shape>(declaration: ManageDeclaration<ClientContext, I, O>): Tool =>
  manageTool<ClientContext, I, O>(clientTool, declaration)

/**
 * A tool with an `action` and flat optional arguments. Some clients reject schemas with alternatives, so the arguments of each action are
 * checked here, together with all other errors of the call. An argument that the action would ignore is rejected rather than dropped.
 */
function manageTool<C extends Context, I extends Shape, O extends Shape>(
  scoped: (declaration: Declaration<C, Shape, O>) => Tool,
  declaration: ManageDeclaration<C, I, O>,
): Tool {
  const { actions, input, ...rest } = declaration
  const names = Object.keys(actions) as [string, ...string[]]
  const optional = Object.fromEntries(Object.entries(input).map(([name, type]) => [name, (type as z.ZodType).optional()]))
  return scoped({
    ...rest,
    input: { action: oneOf(names), ...optional },
    findArgumentErrors: ({ action: name, ...sent }) => {
      const action = typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined
      const own = Object.fromEntries(Object.entries(sent).filter(([argument]) => Object.hasOwn(input, argument)))
      return action ? [...findMissingArguments(name as string, action, own), ...findIgnoredArguments(name as string, action, own)] : []
    },
    run: (ctx, given) => {
      const { action, ...sent } = given as { action: string } & Record<string, unknown>
      return actions[action]!.run(ctx, sent as Arguments<I>)
    },
  })
}

type Named = { needs?: readonly string[]; takes?: readonly string[] }

const findMissingArguments = (name: string, action: Named, sent: Record<string, unknown>): FieldError[] =>
  (action.needs ?? []).filter((n) => sent[n] === undefined).map((path) => ({ path, message: `is required for action ${name}` }))

const findIgnoredArguments = (name: string, action: Named, sent: Record<string, unknown>): FieldError[] => {
  const known = [...(action.needs ?? []), ...(action.takes ?? [])]
  return Object.keys(sent)
    .filter((n) => sent[n] !== undefined && !known.includes(n))
    .map((path) => ({ path, message: `is not accepted by action ${name}`, allowed: known }))
}
