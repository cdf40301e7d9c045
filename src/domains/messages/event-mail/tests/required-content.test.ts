import { describe, expect, it } from 'vitest'
import { chooseTranslator } from '../../../../kernel/language/translator.ts'
import { EMAIL_TRIGGERS, type EmailBlock } from '../../../configuration/schema/emails.ts'
import { listMergeFieldNames } from '../../../configuration/data-fields.ts'
import { addRequiredEmailBlocks } from '../required-content.ts'

const words = chooseTranslator('en')
const hello: EmailBlock = { id: 'hello', type: 'text', html: '<p>Hello</p>', markdown: null, showWhen: null }
const footer: EmailBlock = { id: 'foot', type: 'footer', text: null, social: [], showWhen: null }
const join: EmailBlock = { id: 'join', type: 'button', label: 'Join', href: null, link: 'invite', style: 'primary', showWhen: null }
const idsOf = (blocks: readonly EmailBlock[]) => blocks.map(({ id }) => id)

describe('addRequiredEmailBlocks', () => {
  it('adds the inviter, the expiry and the personal link to an invitation email, before the footer', () => {
    expect(idsOf(addRequiredEmailBlocks('group.invited', [hello, footer], words))).toEqual([
      'hello',
      'required-group-inviter',
      'required-invite-expiresAt',
      'required-invite',
      'foot',
    ])
  })

  it('adds no content that the email already has as a button, as a link in a text or inside columns', () => {
    const text = '{{group.inviter}} until {{ invite.expiresAt | soon }}'
    const explained: EmailBlock = { ...hello, id: 'explained', html: `<p>${text}</p>` }
    expect(idsOf(addRequiredEmailBlocks('group.invited', [explained, join], words))).toEqual(['explained', 'join'])
    const linked: EmailBlock = { ...hello, html: `<p>${text} <a href="{{links.invite}}">Join</a></p>` }
    expect(idsOf(addRequiredEmailBlocks('group.invited', [linked], words))).toEqual(['hello'])
    const columns = {
      id: 'columns',
      type: 'columns',
      count: 2,
      blocks: [
        { ...explained, column: 0 },
        { ...join, column: 1 },
      ],
      showWhen: null,
    }
    expect(idsOf(addRequiredEmailBlocks('group.invited', [columns as never], words))).toEqual(['columns'])
  })

  it('adds required email content if the existing block is hidden from some recipients', () => {
    const hidden: EmailBlock = { ...join, showWhen: { binding: '@participant.company', op: 'isSet' } }
    expect(idsOf(addRequiredEmailBlocks('group.invited', [hidden], words))).toContain('required-invite')
  })

  it('adds the required content to every kind of email once, in every language, with known merge fields', () => {
    const known = listMergeFieldNames({ customFields: [] })
    const completed = EMAIL_TRIGGERS.filter((trigger) => {
      const once = addRequiredEmailBlocks(trigger, [hello], words)
      expect(addRequiredEmailBlocks(trigger, once, words)).toBe(once)
      expect(new Set(idsOf(once)).size).toBe(once.length)
      for (const [, field] of JSON.stringify(once).matchAll(/\{\{([\w.]+)/g)) expect(known).toContain(field)
      for (const block of once) if (block.type === 'button') expect(known).toContain(`links.${block.link}`)
      return once.length > 1
    })
    // Emails with codes cannot be replaced by events. The other excluded emails have no merge field for their required content.
    const others = EMAIL_TRIGGERS.filter((trigger) => !completed.includes(trigger))
    expect(others.filter((trigger) => !/^(booth|submission|block)\./.test(trigger))).toEqual(['signin.code', 'none'])
    const german = addRequiredEmailBlocks('payment.due', [hello], chooseTranslator('de'))
    expect(JSON.stringify(german)).toContain('Offener Betrag')
  })
})
