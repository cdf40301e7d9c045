import { describe, expect, it } from 'vitest'
import { EXAMPLE_BLOCKS, EXAMPLE_SECTIONS, EXAMPLE_WIDGETS } from '../../scripts/docs/document-examples.ts'
import { buildReviewContext } from '../../src/domains/configuration/review/tests/contexts.ts'
import { checkDocument } from '../../src/domains/configuration/structure.ts'
import { runSynchronously } from '../../src/kernel/cooperative.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { renderDocPages } from '../../src/surfaces/web/docs/library.ts'
import { TOOLSETS_IN_ORDER } from '../../src/toolsets/index.ts'
import { issuesOf } from '../support/at-once.ts'
import { blocksIn, readPageSource } from '../support/page-blocks.ts'

const { companyProfile, boothRequest, submission, confirmation, redirect, ...open } = EXAMPLE_WIDGETS

const flow = (slug: string, kind: string, widgets: readonly object[], last: object) => ({
  slug,
  name: slug,
  kind,
  pages: [
    { code: 'all', widgets },
    { code: 'end', widgets: [last] },
  ],
})

/** The event of the examples, with every widget on a page and every block in a mail. */
const WITH_ALL = {
  ...EXAMPLE_SECTIONS,
  flows: [
    ...EXAMPLE_SECTIONS.flows,
    { ...flow('everything', 'attendee', Object.values(open), confirmation), guests: { enabled: true, types: [{ code: 'partner', name: 'Partner', productCode: 'partner' }] } },
    flow('exhibitor', 'exhibitor', [companyProfile, boothRequest], redirect),
    flow('speaker', 'speaker', [submission], confirmation),
  ],
  emails: [
    ...EXAMPLE_SECTIONS.emails,
    { code: 'everything', name: 'Everything', trigger: 'registration.updated', subject: 'All', blocks: Object.values(EXAMPLE_BLOCKS) },
  ],
}

/** What would keep it from being published. */
function faultsOf(document: object): unknown[] {
  const checked = checkDocument(document)
  if (!checked.ok) return checked.issues
  const scene = buildReviewContext(document, { facts: { locales: ['en', 'de'] } as never })
  const around = {
    connections: new Map([['members', { status: 'ready', onFailure: 'allow' } as const]]),
    files: new Map([[EXAMPLE_WIDGETS.image.fileId, { mime: 'image/png' }]]),
  }
  return issuesOf(scene, around).filter(({ level }) => level !== 'warning')
}

describe('the examples of the event document', () => {
  it('are one event that could be published', () => {
    expect(faultsOf(EXAMPLE_SECTIONS)).toEqual([])
  })

  it('hold every widget and block, each of which could be published with it', () => {
    expect(faultsOf(WITH_ALL)).toEqual([])
    const { tracks: _, ...without } = EXAMPLE_SECTIONS.sessions
    expect(faultsOf({ ...WITH_ALL, sessions: without })).not.toEqual([])
  })

  it('are on the pages', () => {
    const shown = (name: string) => blocksIn(readPageSource(name)).map(({ text }) => JSON.parse(text) as unknown)
    expect(shown('event-document')).toEqual(Object.values(EXAMPLE_SECTIONS))
    expect(shown('widgets')).toEqual([...Object.values(EXAMPLE_WIDGETS), ...Object.values(EXAMPLE_BLOCKS)])
  })
})

describe('every page that somebody wrote', () => {
  it('is short, and so are its tables', () => {
    const served = { toolsets: TOOLSETS_IN_ORDER, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS }
    const written = runSynchronously(renderDocPages('https://lanyard.example', served)).filter(({ path }) => !path.startsWith('/docs/tools'))
    // The rest of the 60 KB is for what stands around it.
    for (const { path, html } of written) expect([path, Buffer.byteLength(html) < 52 * 1024]).toEqual([path, true])
    for (const { path, markdown } of written) {
      const columns = [...markdown.matchAll(/^\|(?:-+\|)+$/gm)].map(([line]) => line.split('|').length - 2)
      expect([path, Math.max(0, ...columns) <= 4]).toEqual([path, true])
    }
  })
})
