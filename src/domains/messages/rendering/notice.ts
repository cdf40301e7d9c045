import { defineEmail, type Email, type MailCategory, type MailSetting } from '../../../kernel/email.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { escapeHtml } from './escape.ts'
import { compileMail } from './render.ts'

export interface Notice {
  subject: string
  preheader: string
  blocks: EmailBlock[]
  /** In whose name it is written; the product's own where it is left out. */
  sender?: string
  /** The digits that `codeBlock` shows. */
  showCode?: string
}

interface NoticeEmail<Content> {
  code: string
  category: MailCategory
  write: (content: Content, setting: MailSetting) => Notice
}

/** A mail of the product itself. Its texts hold names that people chose, so braces in them are only braces. */
export const defineNotice = <Content>({ code, category, write }: NoticeEmail<Content>): Email<Content> =>
  defineEmail({
    code,
    category,
    render: (content, setting) => {
      const { words, baseUrl } = setting
      const why = words.say('mail.sentBy', { host: new URL(baseUrl).host })
      const { sender = 'Lanyard', showCode, ...written } = write(content, setting)
      const design = { ...written, locale: words.locale, fields: null, sender: { name: sender }, showAddresses: true }
      const recipient = { value: () => null, footer: { why }, ...(showCode === undefined ? {} : { code: showCode }) }
      const { subject, text, html } = compileMail(design).render(recipient)
      return { subject, text, html }
    },
  })

export const heading = (text: string): EmailBlock => ({ id: 'heading', type: 'heading', text, level: 1, align: 'left', showWhen: null })

export const sentences = (...texts: string[]): EmailBlock => ({
  id: 'text',
  type: 'text',
  html: texts.map((text) => `<p>${escapeHtml(text)}</p>`).join(''),
  markdown: null,
  showWhen: null,
})

export const linkButton = (label: string, href: string): EmailBlock => ({
  id: 'button',
  type: 'button',
  label,
  href,
  link: null,
  style: 'primary',
  showWhen: null,
})

export const codeBlock: EmailBlock = { id: 'code', type: 'code', showWhen: null }
