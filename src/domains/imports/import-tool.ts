import type { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { eventTool, type Tool, type ToolDeclaration } from '../../kernel/tool.ts'
import { reserveClientForImport } from './claim.ts'

type Shape = z.ZodRawShape

interface ImportDeclaration<I extends Shape, O extends Shape, R> extends Omit<ToolDeclaration<EventContext, I, O, R>, 'claim'> {
  /**
   * Whether a call with these arguments reads a file and imports it. By default, calls that pass rows or read the state of a job do not.
   */
  imports?: (input: z.output<z.ZodObject<I>>) => boolean
}

/**
 * Declares a tool that reads a file and writes its rows. One such call of a client runs at a time, whichever tool and event, because it
 * reads whole files and writes thousands of rows. Rows in the arguments are limited by the size of a request.
 */
export const defineImportTool = <I extends Shape, O extends Shape, R = undefined>({
  imports = isFileImport,
  ...declaration
}: ImportDeclaration<I, O, R>): Tool =>
  eventTool({ ...declaration, claim: async (ctx, input) => (imports(input) ? reserveClientForImport(ctx, declaration.name) : null) })

const isFileImport = ({ rows, jobId }: { rows?: unknown; jobId?: unknown }): boolean => rows === undefined && jobId === undefined
