/** How one assistant is told of the endpoint: steps in words, and what to copy where something is copied. */
export interface Assistant {
  id: string
  name: string
  /** It calls from its maker's computers, so an address that only this one reaches is of no use to it. */
  fromAfar?: boolean
  steps: string
  /** Opens the program with everything filled in. */
  link?: { href: string; label: string }
  copy?: { where: string; text: string }
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

/** The name under which assistants list it; several presets beside each other need several names. */
export function assistantsFor(url: string, name: string): Assistant[] {
  return [
    {
      id: 'claude',
      name: 'Claude (claude.ai and Claude Desktop)',
      fromAfar: true,
      steps: 'Open Settings, then Connectors. Choose “Add custom connector”, paste the address above, add it, and choose “Connect”.',
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      fromAfar: true,
      steps:
        'Open Settings, then Apps, then Advanced settings, and turn on Developer mode. Choose “Create app”, paste the address above as the MCP server URL, and choose OAuth as authentication.',
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      steps: 'Run this, start Claude Code, and type /mcp to sign in.',
      copy: { where: 'Terminal', text: `claude mcp add --transport http ${name} "${url}"` },
    },
    {
      id: 'vscode',
      name: 'VS Code (GitHub Copilot)',
      steps: 'Use the button, or put this into .vscode/mcp.json of your folder. VS Code asks you to sign in when it starts the server.',
      link: { href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url }))}`, label: 'Add to VS Code' },
      copy: { where: '.vscode/mcp.json', text: json({ servers: { [name]: { type: 'http', url } } }) },
    },
    {
      id: 'cursor',
      name: 'Cursor',
      steps: 'Use the button, or put this into ~/.cursor/mcp.json. Then choose “Needs login” beside it in the settings.',
      link: {
        href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(Buffer.from(JSON.stringify({ url })).toString('base64'))}`,
        label: 'Add to Cursor',
      },
      copy: { where: '~/.cursor/mcp.json', text: json({ mcpServers: { [name]: { url } } }) },
    },
    {
      id: 'codex',
      name: 'Codex',
      steps: 'Run both lines. The second one opens the sign-in.',
      copy: { where: 'Terminal', text: `codex mcp add ${name} --url "${url}"\ncodex mcp login ${name}` },
    },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      steps: `Run this, start Gemini CLI, and type /mcp auth ${name} to sign in.`,
      copy: { where: 'Terminal', text: `gemini mcp add --scope user --transport http ${name} "${url}"` },
    },
    {
      id: 'windsurf',
      name: 'Windsurf',
      steps: 'Put this into ~/.codeium/windsurf/mcp_config.json and reload the servers in Cascade.',
      copy: { where: '~/.codeium/windsurf/mcp_config.json', text: json({ mcpServers: { [name]: { serverUrl: url } } }) },
    },
    {
      id: 'stdio',
      name: 'A program that only starts local servers',
      steps:
        'The open-source bridge mcp-remote passes everything on and opens the sign-in in your browser. Claude Desktop takes this in claude_desktop_config.json.',
      copy: { where: 'Configuration', text: json({ mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url] } } }) },
    },
  ]
}
