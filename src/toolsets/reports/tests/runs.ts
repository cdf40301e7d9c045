import { Readable } from 'node:stream'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { runReportJob } from '../../../domains/reports/runs/run-job.ts'
import type { Job } from '../../../kernel/jobs.ts'
import type { Role } from '../../../kernel/permissions.ts'
import type { EventHandle, OrganizerHandle, World } from '../../../../test/support/world.ts'
import { type Desk, deskScenario } from '../../registration/tests/desk.ts'

export interface ReportRunsDesk extends Desk {
  /** Runs a queued job as the worker does. */
  work: (jobId: string) => Promise<void>
  /** The bytes of a run's file in the file store; null if it has none. */
  bytesOf: (runId: string) => Promise<Buffer | null>
  /** An organizer with a role at the event's client, whose calls go to the event. */
  colleague: (role: Role) => Promise<OrganizerHandle>
  emails: () => Promise<{ to: string; code: string; text: string; attachments: number }[]>
  /** Calls a tool with the confirm token of its own dry run. */
  confirmed: (tool: string, args: object, by?: OrganizerHandle) => Promise<any>
}

export function runsScenario(): ReportRunsDesk {
  const desk = deskScenario() as ReportRunsDesk
  return Object.assign(desk, {
    work: (jobId: string) => createJobRunner(desk.world.services)(runReportJob as Job, { tenantId: desk.event.tenantId, jobId }),
    bytesOf: (runId: string) => readRunFile(desk.world, desk.event.tenantId, runId),
    colleague: async (role: Role) => {
      const organizer = await desk.world.organizer({ at: desk.event, role })
      const at = (args: object = {}) => ({ eventCode: desk.event.eventCode, ...args })
      return {
        ...organizer,
        answer: (tool: string, args?: object) => organizer.answer(tool, at(args)),
        call: (tool: string, args?: object) => organizer.call(tool, at(args)),
        refused: (tool: string, args?: object) => organizer.refused(tool, at(args)),
      }
    },
    emails: () => listEmails(desk.world, desk.event),
    confirmed: async (tool: string, args: object, by?: OrganizerHandle) => {
      const call = by ? by.call : (name: string, given?: object) => desk.call(name, given)
      const { confirmToken } = await call(tool, { ...args, dryRun: true })
      return call(tool, { ...args, confirmToken })
    },
  })
}

async function readRunFile({ database, services }: World, tenantId: number, runId: string): Promise<Buffer | null> {
  const run = await database.read
    .selectFrom('report_runs')
    .select('file_id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  if (run.file_id === null) return null
  const content = await services.files.open(`${tenantId}/${run.file_id}`)
  return content && Buffer.concat(await Readable.from(content).toArray())
}

const listEmails = ({ database }: World, { tenantId, eventId }: EventHandle) =>
  database.read
    .selectFrom('messages')
    .select(['to_address as to', 'email_code as code', 'text_body as text'])
    .select((eb) =>
      eb
        .selectFrom('message_attachments as a')
        .select((of) => of.fn.countAll<number>().as('n'))
        .whereRef('a.message_id', '=', 'messages.id')
        .as('attachments'),
    )
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', eventId)
    .orderBy('id')
    .execute() as Promise<{ to: string; code: string; text: string; attachments: number }[]>
