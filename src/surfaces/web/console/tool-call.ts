import { hashCanonicalJson } from '../../../kernel/canonical.ts'
import { AppError } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Tool } from '../../../kernel/tool.ts'
import { callOrganizerTool } from '../../mcp/call-tool.ts'
import type { FormValues, WebServices } from '../web.ts'
import type { EventPageContext } from './event/event-page.ts'
import { ignoreAiAssistantRestrictions } from './frame.tsx'

export type ToolArguments = Readonly<Record<string, unknown>>

/**
 * Calls an organizer's tool as the signed-in user, through the pipeline that assistants use. If the tool refuses the call, throws its
 * error.
 */
export async function callEventTool<Result>(web: WebServices, at: EventPageContext, tool: Tool, args: ToolArguments): Promise<Result> {
  const sent = { ...args, eventCode: at.event.code, clientCode: at.client.code }
  const outcome = await callOrganizerTool(web.services, ignoreAiAssistantRestrictions(at.session), tool, sent)
  if (outcome.kind === 'error') throw outcome.error
  return outcome.result as Result
}

const DO = 'do'

/** Names and values of the two submit buttons of a form: check, which shows the result of a dry run, and save. */
export const DRY_RUN_BUTTON = { name: DO, value: 'check' }
export const CONFIRM_BUTTON = { name: DO, value: 'confirm' }

/** A dry run that the page shows. The hidden values are submitted with the confirmation. */
export interface DryRunPreview<Result> {
  result: Result
  hidden: Record<string, string>
  /** Whether the user confirmed a result that was no longer current. Nothing was saved then, and the current result is shown. */
  isStale: boolean
}

export type FormToolCallResult<Result> = { done: Result } | { checked: DryRunPreview<Result> } | { refused: AppError } | { unread: true }

interface FormCallRequest {
  tool: Tool
  /**
   * The tool's arguments; null if the form's fields have errors. A form that was already saved gets its earlier response, even with errors.
   */
  args: ToolArguments | null
  form: FormValues
  /** The names of the form's visible fields. If one of them changes after the dry run, the form is checked again. */
  fields: readonly string[]
}

/**
 * Runs a form as a tool call in two steps: the dry run, whose result the page shows, and the confirmed call. The confirmed call sends the
 * arguments, idempotency key and confirm token of the dry run. So the same form sent twice has one effect, and a form whose effect has
 * changed since, for example in another tab, is checked again.
 */
export async function runFormToolCall<Result>(
  web: WebServices,
  at: EventPageContext,
  { tool, args, form, fields }: FormCallRequest,
): Promise<FormToolCallResult<Result>> {
  const digest = hashCanonicalJson(fields.map((name) => form[name] ?? '')).toString('base64url')
  const wantsSaving = form[DO] === CONFIRM_BUTTON.value
  try {
    const promised = wantsSaving && form['checked'] === digest ? readPromisedCall(form) : null
    if (promised) {
      try {
        return { done: await callEventTool<Result>(web, at, tool, promised) }
      } catch (error) {
        if (!isOutdated(error)) throw error
      }
    }
    if (!args) return { unread: true }
    const { confirmToken, ...result } = await callEventTool<Result & { confirmToken?: string }>(web, at, tool, { ...args, dryRun: true })
    const hidden = {
      key: newId(),
      checked: digest,
      call: JSON.stringify(args),
      ...(confirmToken ? { confirmToken } : {}),
    }
    return { checked: { result: result as Result, hidden, isStale: wantsSaving } }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'internal') throw error
    return { refused: error }
  }
}

/** Reads the call of the dry run that the user confirms; null if the form does not contain it. */
function readPromisedCall({ key, call, confirmToken }: FormValues): ToolArguments | null {
  if (!key || !call) return null
  try {
    return { ...(JSON.parse(call) as ToolArguments), idempotencyKey: key, ...(confirmToken ? { confirmToken } : {}) }
  } catch {
    return null
  }
}

/** Whether a confirmed call was refused only because its dry run is no longer current. */
const isOutdated = (error: unknown): boolean =>
  error instanceof AppError && (error.details.reason === 'unconfirmed' || error.details.reason === 'movedOn' || error.code === 'conflict')
