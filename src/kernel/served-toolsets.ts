import type { ToolsetName } from './permissions.ts'

/** The toolsets that have tools, in their order; what is not among them is offered nowhere. A test holds it against the tools themselves. */
export const SERVED_TOOLSETS: readonly ToolsetName[] = ['events', 'registration', 'clients']
