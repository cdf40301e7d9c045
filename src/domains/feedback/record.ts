import type { Db } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import type { FeedbackKind, FeedbackSource } from './tables.ts'

export interface NewFeedback {
  source: Exclude<FeedbackSource, 'error'>
  kind: Exclude<FeedbackKind, 'error'>
  text: string
  page?: string | undefined
  tool?: string | undefined
  tenantCode?: string | undefined
  contactEmail?: string | undefined
  appVersion: string
}

export const MAX_FEEDBACK_CHARACTERS = 4000

export async function recordFeedback(db: Db, said: NewFeedback): Promise<string> {
  const id = newId()
  await db
    .insertInto('feedback')
    .values({
      id,
      source: said.source,
      kind: said.kind,
      body: cleanText(said.text, MAX_FEEDBACK_CHARACTERS),
      page: said.page ? cleanText(said.page, 300) : null,
      tool: said.tool ? cleanText(said.tool, 100) : null,
      tenant_code: said.tenantCode ?? null,
      contact_email: said.contactEmail ?? null,
      app_version: said.appVersion,
    })
    .execute()
  return id
}
