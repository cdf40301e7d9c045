import type { Tool } from '../../src/kernel/tool.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import type { Arguments } from './examples.ts'

/** An argument that takes a record's id, at any depth of the arguments; `*` in its path stands for every item of a list. */
export interface IdArgument {
  path: readonly string[]
  /** The first id that the arguments have at this path. */
  read: (args: unknown) => string | undefined
  /** Copies the arguments with another id at this path. */
  replace: (args: Arguments, id: string) => Arguments
}

export function listIdArguments(tool: Pick<Tool, 'shape'>): IdArgument[] {
  return pathsIn(tool.shape, []).map((path) => ({
    path,
    read: (args) => readAt(args, path),
    replace: (args, id) => replaceAt(args, path, id) as Arguments,
  }))
}

function pathsIn(shape: InputShape, path: readonly string[]): string[][] {
  if (shape.reference) return [[...path]]
  return [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, part]) => pathsIn(part, [...path, name])),
    ...(shape.items ? pathsIn(shape.items, [...path, '*']) : []),
  ]
}

function readAt(value: unknown, [key, ...rest]: readonly string[]): string | undefined {
  if (key === undefined) return typeof value === 'string' ? value : undefined
  if (value === null || typeof value !== 'object') return undefined
  const parts = key === '*' ? (value as unknown[]) : [(value as Arguments)[key]]
  return parts.map((part) => readAt(part, rest)).find((found) => found !== undefined)
}

function replaceAt(value: unknown, [key, ...rest]: readonly string[], id: string): unknown {
  if (key === undefined) return id
  if (Array.isArray(value)) return value.map((part) => replaceAt(part, rest, id))
  const holder = value as Arguments
  return key in holder ? { ...holder, [key]: replaceAt(holder[key], rest, id) } : holder
}
