import { describe, expect, it } from 'vitest'
import { listPlaceholders, textBlocksToHtml, textBlocksToPlainText, toTextBlocks } from '../text-blocks.ts'

const html = (source: string, values = {}) => textBlocksToHtml(toTextBlocks(source, values))

describe('text widgets', () => {
  it('renders headings, bold text, lists and web links of a text widget', () => {
    expect(html('# Weekly\n\nSee **all** of [it](https://example.org/a?b=1&c=2):\n\n- one\n  - two\n- three\n\n1. first')).toBe(
      '<h3>Weekly</h3><p>See <strong>all</strong> of <a href="https://example.org/a?b=1&amp;c=2" rel="noreferrer">it</a>:</p>' +
        '<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul><ol><li>first</li></ol>',
    )
  })

  it('shows HTML, images, code and links that are not web links as plain text in a text widget', () => {
    const shown = html('<script>alert(1)</script> ![x](https://example.org/p.png) `code` [a](javascript:alert(1)) [b](data:text/html,x)')
    expect(shown).not.toMatch(/<script|<img|<code|href="(javascript|data)/)
    expect(shown).toContain('&lt;script&gt;')
  })

  it('inserts the values of placeholders in a text widget as text, never as markup', () => {
    const values = { 'event.name': '**A** [x](https://evil.example) <b>', asOf: '2026' }
    expect(html('{{event.name}} at {{ asOf }} {{unknown}}', values)).toBe('<p>**A** [x](https://evil.example) &lt;b&gt; at 2026 </p>')
    expect(listPlaceholders('{{event.name}} {{ param.from }}')).toEqual(['event.name', 'param.from'])
  })

  it('inserts no values of placeholders into link addresses of a text widget', () => {
    expect(html('[x](https://example.org/{{event.name}})', { 'event.name': 'A' })).not.toContain('href="https://example.org/A')
  })

  it('renders a text widget as plain text', () => {
    expect(textBlocksToPlainText(toTextBlocks('## A\n\n- b\n- [c](https://example.org)', {}))).toBe('A\n- b\n- c (https://example.org)')
  })
})
