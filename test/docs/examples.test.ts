import { describe, expect, it } from 'vitest'
import { EXAMPLE_BLOCKS, EXAMPLE_SECTIONS, EXAMPLE_WIDGETS } from '../../scripts/docs/document-examples.ts'
import { buildReviewContext } from '../../src/domains/configuration/review/tests/contexts.ts'
import { validateDocumentStructure } from '../../src/domains/configuration/structure.ts'
import { runTaskSynchronously } from '../../src/kernel/cooperative.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { renderDocPages } from '../../src/surfaces/web/docs/library.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { findIssuesSynchronously } from '../support/synchronous-configuration.ts'
import { parseCodeBlocks, readPageSource } from '../support/code-blocks.ts'

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

/** The event of the documentation examples, with every widget on a page and every block in an email. */
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

/** Finds the problems that would prevent publishing the document. */
function findPublishProblems(document: object): unknown[] {
  const checked = validateDocumentStructure(document)
  if (!checked.ok) return checked.issues
  const context = buildReviewContext(document, { facts: { locales: ['en', 'de'] } as never })
  const around = {
    connections: new Map([['members', { status: 'ready', onFailure: 'allow' } as const]]),
    files: new Map([[EXAMPLE_WIDGETS.image.fileId, { mime: 'image/png' }]]),
  }
  return findIssuesSynchronously(context, around).filter(({ level }) => level !== 'warning')
}

describe('event document examples', () => {
  it('combines all document examples into one event that can be published', () => {
    expect(findPublishProblems(EXAMPLE_SECTIONS)).toEqual([])
  })

  it('includes every page widget and email block in document examples, each of which can be published', () => {
    expect(findPublishProblems(WITH_ALL)).toEqual([])
    const { tracks: _, ...without } = EXAMPLE_SECTIONS.sessions
    expect(findPublishProblems({ ...WITH_ALL, sessions: without })).not.toEqual([])
  })

  it('includes the document examples in the documentation pages', () => {
    const shown = (name: string) => parseCodeBlocks(readPageSource(name)).map(({ text }) => JSON.parse(text) as unknown)
    expect(shown('event-document')).toEqual(Object.values(EXAMPLE_SECTIONS))
    expect(shown('widgets')).toEqual([...Object.values(EXAMPLE_WIDGETS), ...Object.values(EXAMPLE_BLOCKS)])
  })
})

describe('handwritten documentation pages', () => {
  it('limits the size of handwritten pages and of their tables', () => {
    const served = { toolsets: ALL_TOOLSETS, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS }
    const written = runTaskSynchronously(renderDocPages('https://lanyard.example', served)).filter(({ path }) => !path.startsWith('/docs/tools'))
    // A page may have 60 KB in total; the rest is for the page layout.
    for (const { path, html } of written) expect([path, Buffer.byteLength(html) < 52 * 1024]).toEqual([path, true])
    for (const { path, markdown } of written) {
      const columns = [...markdown.matchAll(/^\|(?:-+\|)+$/gm)].map(([line]) => line.split('|').length - 2)
      expect([path, Math.max(0, ...columns) <= 4]).toEqual([path, true])
    }
  })
})
