import { defineEmail, type EmailDefinition, type EmailCategory, type EmailRenderContext } from '../../../kernel/email.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { compileEmail } from './render.ts'

export interface NoticeEmailContent {
  subject: string
  preheader: string
  blocks: EmailBlock[]
  /** The sender name of a notice; defaults to "Lanyard". */
  sender?: string
  /** The digits of a one-time code, shown by `codeBlock`. */
  showCode?: string
}

interface NoticeDefinition<Content> {
  code: string
  category: EmailCategory
  write: (content: Content, setting: EmailRenderContext) => NoticeEmailContent
}

/**
 * Defines an email that Lanyard sends in its own name. Braces in such an email are plain text, because it may contain names that users
 * chose.
 */
export const defineNoticeEmail = <Content>({ code, category, write }: NoticeDefinition<Content>): EmailDefinition<Content> =>
  defineEmail({
    code,
    category,
    render: (content, setting) => {
      const { words, baseUrl } = setting
      const why = words.say('mail.sentBy', { host: new URL(baseUrl).host })
      const { sender = 'Lanyard', showCode, ...written } = write(content, setting)
      const design = { ...written, locale: words.locale, fields: null, sender: { name: sender }, showAddresses: true }
      const recipient = { value: () => null, footer: { why }, ...(showCode === undefined ? {} : { code: showCode }) }
      const { subject, text, html } = compileEmail(design).render(recipient)
      return { subject, text, html }
    },
  })

export const buildHeading = (text: string): EmailBlock => ({
  id: 'heading',
  type: 'heading',
  text,
  level: 1,
  align: 'left',
  showWhen: null,
})

export const buildParagraphs = (...texts: string[]): EmailBlock => ({
  id: 'text',
  type: 'text',
  html: texts.map((text) => `<p>${escapeHtml(text)}</p>`).join(''),
  markdown: null,
  showWhen: null,
})

export const buildLinkButton = (label: string, href: string): EmailBlock => ({
  id: 'button',
  type: 'button',
  label,
  href,
  link: null,
  style: 'primary',
  showWhen: null,
})

export const ONE_TIME_CODE_BLOCK: EmailBlock = { id: 'code', type: 'code', showWhen: null }
