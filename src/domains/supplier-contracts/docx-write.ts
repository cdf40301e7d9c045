import JSZip from 'jszip'
import { escapeHtml } from '../../kernel/escape-html.ts'
import type { ContractDocument } from './document.ts'

export const DOCX_MIME_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const CONTENT_TYPES = `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${DOCX_MIME_TYPE}.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>`
const PACKAGE_RELATIONS = `${DECLARATION}<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`
const DOCUMENT_RELATIONS = `${DECLARATION}<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="rId1" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`

const style = (id: string, name: string, size: number, bold: boolean, before: number) =>
  `<w:style w:type="paragraph" w:styleId="${id}"${id === 'Normal' ? ' w:default="1"' : ''}><w:name w:val="${name}"/>${id === 'Normal' ? '' : '<w:basedOn w:val="Normal"/><w:next w:val="Normal"/>'}<w:pPr>${bold ? '<w:keepNext/>' : ''}<w:spacing w:before="${before}" w:after="80"/></w:pPr><w:rPr>${bold ? '<w:b/>' : ''}<w:sz w:val="${size * 2}"/></w:rPr></w:style>`

const STYLES = `${DECLARATION}<w:styles xmlns:w="${MAIN}"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault></w:docDefaults>${style('Normal', 'Normal', 11, false, 0)}${style('Title', 'Title', 20, true, 0)}${style('Heading2', 'heading 2', 13, true, 240)}</w:styles>`

const paragraph = (text: string, styleId?: string) =>
  `<w:p>${styleId === undefined ? '' : `<w:pPr><w:pStyle w:val="${styleId}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${escapeHtml(text)}</w:t></w:r></w:p>`

/** Characters that XML 1.0 does not allow. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Writes a version of a contract as a Word document. `readDocx` finds the clauses again by its headings. */
export async function writeContractDocx({ title, lines, clauses, createdAt }: ContractDocument): Promise<Buffer> {
  const paragraphs = [
    paragraph(title, 'Title'),
    ...lines.map((line) => paragraph(line)),
    ...clauses.flatMap(({ heading, text }) => [paragraph(heading, 'Heading2'), ...text.split('\n').map((line) => paragraph(line))]),
  ]
  const page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134"/></w:sectPr>'
  const document = `${DECLARATION}<w:document xmlns:w="${MAIN}"><w:body>${paragraphs.join('')}${page}</w:body></w:document>`
  const zip = new JSZip()
  const parts = {
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels': PACKAGE_RELATIONS,
    'word/document.xml': document.replaceAll(FORBIDDEN, ''),
    'word/_rels/document.xml.rels': DOCUMENT_RELATIONS,
    'word/styles.xml': STYLES,
  }
  // The entries of the ZIP archive have the time of the contract version, so that the output is deterministic.
  for (const [name, content] of Object.entries(parts)) zip.file(name, content, { date: createdAt, createFolders: false })
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}
