import { z } from 'zod'
import {
  count,
  email,
  id,
  ifRevision,
  list,
  object,
  oneOf,
  untrustedText,
  pageArguments,
  pageResult,
  searchArgument,
  text,
} from '../../../src/kernel/args.ts'
import { recordChange } from '../../../src/kernel/audit.ts'
import { defineEmail, sendEmail } from '../../../src/kernel/email.ts'
import { defineJob, enqueueJob, getJob, type Job } from '../../../src/kernel/jobs.ts'
import { accountTool, eventTool, toolset } from '../../../src/kernel/tool.ts'
import { addNote, deleteNotes, editNote, getNote, listNotes } from './notes.ts'

export { createNotesTable as prepareFixtures } from './notes.ts'

/** Tools for behavior that no product tool has yet. Served in tests only. */

const Note = object({ id: id(), text: untrustedText(), status: oneOf(['open', 'closed']), revision: count(1) })

const echo = accountTool({
  name: 'fixture_echo',
  title: 'Echo a text',
  description:
    'Return the text that was sent (an echo), without touching anything. Use to measure what a call costs or to see that a connection works. Not for notes (use fixture_list_notes). Has no side effect. Returns the text and its length.',
  effect: 'read',
  permission: null,
  input: { text: text(2000) },
  output: { text: untrustedText(), length: count() },
  run: (_ctx, input) => Promise.resolve({ text: input.text, length: input.text.length }),
})

const addNoteTool = eventTool({
  name: 'fixture_add_note',
  title: 'Add a note',
  description:
    'Pin one note (a reminder) to an event. Use for something to remember about the event as a whole. Not for changing one that is there (use fixture_manage_note). Adds a record; with an idempotencyKey a repeated call adds it once. Returns the note with its id.',
  effect: 'change',
  permission: 'events.write',
  keyed: true,
  input: { text: text(500) },
  output: { note: Note },
  run: async (ctx, input) => ({ note: await addNote(ctx, input.text) }),
})

const listNotesTool = eventTool({
  name: 'fixture_list_notes',
  title: 'List notes',
  description:
    'List the notes (reminders) of an event, oldest first. Use to find a noteId or to read them all. Not for one note whose id is known (use fixture_get_note). Has no side effect. Returns a page of notes and nextCursor while there is more.',
  effect: 'read',
  permission: 'events.read',
  input: { search: searchArgument().optional(), ...pageArguments },
  output: { notes: list(Note), ...pageResult },
  run: listNotes,
})

const getNoteTool = eventTool({
  name: 'fixture_get_note',
  title: 'Get a note',
  description:
    'Read one note (reminder) of an event by its id. Use when fixture_list_notes or a change gave the id. Not for searching (use fixture_list_notes). Has no side effect. Returns the note with its text, status and revision.',
  effect: 'read',
  permission: 'events.read',
  input: { noteId: id() },
  output: { note: Note },
  run: async (ctx, input) => ({ note: await getNote(ctx, input.noteId) }),
})

const manageNote = eventTool({
  name: 'fixture_manage_note',
  title: 'Change a note',
  description:
    'Change one note (reminder) of an event: its text, or its status (closed, open again). Use after fixture_list_notes gave the noteId. Not for new notes (use fixture_add_note) nor for removing them (use fixture_delete_notes). Returns the note after the change.',
  effect: 'change',
  permission: 'events.write',
  input: { noteId: id(), text: text(500).optional(), status: oneOf(['open', 'closed']).optional(), ifRevision: ifRevision() },
  output: { note: Note },
  run: async (ctx, input) => ({ note: await editNote(ctx, input) }),
})

const deleteNotesTool = eventTool({
  name: 'fixture_delete_notes',
  title: 'Delete notes',
  description:
    'Delete notes (reminders) of an event; this cannot be undone. Use first with dryRun to see which would go. Without a search all notes of the event are deleted. Not for closing one (use fixture_manage_note). Returns how many were deleted.',
  effect: 'destructive',
  permission: 'events.write',
  idempotent: true,
  keyed: true,
  input: { search: searchArgument().optional() },
  output: { deleted: count() },
  run: async (ctx, input) => ({ deleted: await deleteNotes(ctx, input.search) }),
})

const reminder = defineEmail<{ event: string; text: string }>({
  code: 'fixture-reminder',
  category: 'operational',
  render: ({ event, text: body }) => ({ subject: `A reminder for ${event}`, text: body }),
})

const mailNotes = eventTool({
  name: 'fixture_mail_note',
  title: 'Mail a note',
  description:
    'Mail a note (reminder) to addresses; this cannot be undone, mail is not recalled. Use first with dryRun to see who would get it. Not for reading notes (use fixture_get_note). Sends one mail per address, once per note. Returns how many were queued.',
  effect: 'destructive',
  permission: 'email.send',
  openWorld: true,
  keyed: true,
  confirm: (input) => input.always === 'yes',
  input: { noteId: id(), to: list(email(), 200), always: oneOf(['yes', 'no']).optional() },
  output: { queued: count() },
  run: async (ctx, input) => {
    const note = await getNote(ctx, input.noteId)
    let queued = 0
    for (const address of input.to.toSorted()) {
      const sent = await sendEmail(ctx, reminder, {
        to: { address },
        content: { event: ctx.event.name, text: note.text },
        source: { kind: 'note', id: note.id, recipientKey: address.toLowerCase() },
        eventId: ctx.event.id,
      })
      if (sent) queued++
    }
    if (queued > 0) recordChange(ctx, { kind: 'note', id: note.id, after: { mailedTo: queued } })
    return { queued }
  },
})

const countJob = defineJob({
  name: 'fixture-count',
  scope: 'event',
  input: z.object({ to: z.number(), failAt: z.number().optional() }),
  run: async (job, { to, failAt }) => {
    for (let i = 1; i <= to; i++) {
      if (i === failAt) throw new Error('requested failure')
      await job.progress(i, to)
    }
    return { counted: to }
  },
})

const startCount = eventTool({
  name: 'fixture_start_count',
  title: 'Start counting',
  description:
    'Start to count in the background (long work, a job). Use to see how long work behaves. Not for its result (use fixture_get_count). Adds a job that goes on after the answer and survives a restart. Returns the jobId to ask for.',
  effect: 'change',
  permission: 'events.write',
  input: { to: count(1, 1000), failAt: count(1, 1000).optional() },
  output: { jobId: id(), status: oneOf(['queued']) },
  run: async (ctx, input) => {
    const started = await enqueueJob(
      ctx,
      countJob,
      { to: input.to, ...(input.failAt ? { failAt: input.failAt } : {}) },
      { eventId: ctx.event.id },
    )
    recordChange(ctx, { kind: 'job', id: started.jobId, after: { name: countJob.name } })
    return started
  },
})

const getCount = eventTool({
  name: 'fixture_get_count',
  title: 'See how counting goes',
  description:
    'See how background counting (a job) stands. Use with the jobId that fixture_start_count returned, again until it is done or failed. Not for starting one (use fixture_start_count). Has no side effect. Returns status, progress and result.',
  effect: 'read',
  permission: 'events.read',
  input: { jobId: id() },
  output: {
    jobId: id(),
    status: oneOf(['queued', 'running', 'done', 'failed']),
    progress: object({ done: count(), total: count().nullable() }),
    result: z.looseObject({}).nullable(),
    error: text(500).nullable(),
  },
  run: async (ctx, input) => {
    const state = await getJob(ctx, { jobId: input.jobId, name: countJob.name, eventId: ctx.event.id })
    return { ...state, result: state.result as Record<string, unknown> | null }
  },
})

const plotNotes = eventTool({
  name: 'fixture_plot_notes',
  title: 'Plot notes',
  description:
    'Draw how many notes (reminders) of an event are open and closed, as a picture. Use when a person would rather look than read. Not for the notes themselves (use fixture_list_notes). Has no side effect. Returns the numbers and an image.',
  effect: 'read',
  permission: 'events.read',
  input: {},
  output: { open: count(), closed: count() },
  run: async (ctx) => {
    const { notes } = await listNotes(ctx, { limit: 100 })
    ctx.pictures.push({ mimeType: 'image/png', data: Buffer.from(ONE_PIXEL, 'base64') })
    return { open: notes.filter((n) => n.status === 'open').length, closed: notes.filter((n) => n.status === 'closed').length }
  },
})

const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const fixtureToolset = toolset('fixtures', [
  echo,
  addNoteTool,
  listNotesTool,
  getNoteTool,
  manageNote,
  deleteNotesTool,
  mailNotes,
  startCount,
  getCount,
  plotNotes,
])

export const FIXTURE_JOBS: readonly Job[] = [countJob as Job]
