import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'

const compiledText = [
  { selector: "CallExpression[callee.name='eval']", message: 'The CSP forbids eval.' },
  { selector: "NewExpression[callee.name='Function']", message: 'The CSP forbids compiling text.' },
]

const longSpreads = [
  {
    selector:
      'CallExpression[callee.property.name=/^(push|unshift|splice|concat|fromCharCode|fromCodePoint|max|min|hypot)$/] > SpreadElement',
    message: 'Spread arguments go on the stack, which has room for tens of thousands: use maxOf, minOf or append of src/base/arrays.ts.',
  },
]
const everywhere = [...compiledText, ...longSpreads]

export default ts.config(
  { ignores: ['dist', 'node_modules', 'public', 'results', 'stubs', 'tools/embedded-model', 'test-results', '.oracle'] },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: { ...globals.browser, ...globals.worker, ...globals.node },
      parserOptions: { project: ['./tsconfig.node.json', './tsconfig.workers.json'], extraFileExtensions: ['.svelte'] },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': ['error', ...everywhere],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: { 'svelte/no-at-html-tags': 'error' },
  },
  {
    // Commands that print what strangers wrote.
    files: ['src/cli/**/*.ts', 'tests/{parity,conformance}/*.ts', 'tools/build/*.ts'],
    ignores: ['src/cli/output/terminal.ts', 'tests/**/*.test.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        ...everywhere,
        {
          selector: "CallExpression[callee.property.name='write'][callee.object.property.name=/^std(out|err)$/]",
          message: 'Write through src/cli/output/terminal.ts, which shows control characters instead of sending them to the terminal.',
        },
      ],
    },
  },
  {
    // Whatever walks over a whole value is paid for there: `metered.ts` has these on the template's budget.
    files: ['src/python/jinja/*.ts'],
    ignores: ['src/python/jinja/metered.ts', 'src/python/jinja/brief.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['../value.ts'],
              importNames: ['str', 'repr', 'pyEquals', 'jsonDumps', 'dictGet', 'encodeKey', 'keyWithin'],
              message: 'Templates print, compare and look up on their budget: python/jinja/metered.ts.',
            },
          ],
        },
      ],
    },
  },
  { files: ['tests/**'], rules: { 'no-restricted-syntax': ['error', ...compiledText] } },
  { files: ['**/*.js', '**/*.mjs', 'stubs/**'], ...ts.configs.disableTypeChecked },
)
