import { describe, expect, it } from 'vitest'
import { parseLinkUrl } from '../addresses.ts'
import { blockOf, FIELDS, listLinks, renderDesign } from './designs.ts'

const link = (href: string) =>
  blockOf({ id: 't', type: 'text', html: `<p><a href="${href.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">words</a></p>` })
const fields = () => ({ known: FIELDS, unknown: new Set<string>() })

describe('links in emails', () => {
  it.each([
    'https://x.example/a?b=c&d=e#f',
    'http://x.example',
    'mailto:info@x.example',
    'tel:+4930123456',
    'https://x.example/?n={{participant.firstName}}',
    'https://x.example/?a=1&n={{participant.firstName|x}}&z=2',
    'mailto:a@x.example?subject={{participant.firstName}}',
  ])('renders a link to the allowed address %s', (href) => {
    const [first] = listLinks(renderDesign({ blocks: [link(href)] }, { 'participant.firstName': 'Zoë' }).html)
    expect(first).toBe(href.replace(/\{\{[^}]*\}\}/, 'Zo%C3%AB'))
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/console',
    '#top',
    'https://',
    'https:// evil.example',
    '{{participant.firstName}}',
    '{{participant.firstName|https://evil.example}}',
    'https://{{participant.firstName}}/',
    'https://x.example/{{participant.firstName}}',
    'https://x.example/?{{participant.firstName}}',
    'https://x.example/?a=b{{participant.firstName}}',
    'https://x.example/?a={{participant.firstName}}b',
    'https://x.example/?a={{participant.firstName}}{{participant.bio}}',
    'https://x.example/#{{participant.firstName}}',
    'https://x.example/#?a={{participant.firstName}}',
    '{{links.pay}}{{participant.firstName}}',
    'java{{participant.bio}}script:alert(1)',
  ])('never renders a link to %s, and keeps the link text', (href) => {
    const { html, text } = renderDesign(
      { blocks: [link(href)] },
      { 'participant.firstName': 'evil.example', 'links.pay': 'https://x.example/pay' },
    )
    expect([listLinks(html), text.split('\n')[0]]).toEqual([[], 'words'])
    expect(parseLinkUrl(href, fields())).toBeNull()
  })

  it('accepts a merge field as a whole link address only if it is a links.* field with a web address as value', () => {
    const paid = (address: string) => listLinks(renderDesign({ blocks: [link('{{links.pay}}')] }, { 'links.pay': address }).html)
    expect(paid('https://x.example/pay?t=1&u=2')).toEqual(['https://x.example/pay?t=1&u=2'])
    for (const evil of ['javascript:alert(1)', 'https://x.example/" onclick="x', 'ftp://x', ' ', '/pay', 'https://x y'])
      expect(paid(evil)).toEqual([])
  })

  it('fills in merge fields in the addresses of Markdown links', () => {
    const blocks = [
      blockOf({
        id: 't',
        type: 'text',
        markdown: 'Go [pay]({{links.pay}}) or [look](https://x.example/?n={{participant.firstName}}) or [no](javascript:x).',
      }),
    ]
    const mail = renderDesign({ blocks }, { 'links.pay': 'https://x.example/pay', 'participant.firstName': 'A&B' })
    expect(listLinks(mail.html)).toEqual(['https://x.example/pay', 'https://x.example/?n=A%26B'])
    expect(mail.text.split('\n')[0]).toBe('Go pay: https://x.example/pay or look: https://x.example/?n=A%26B or [no](javascript:x).')
  })
})
