/** Components alone: oxlint looks at the modules (`.oxlintrc.json`), in a tenth of the time. */
import js from '@eslint/js'
import globals from 'globals'
import ts from 'typescript-eslint'

// TypeScript then reads components as the parser translates them: one program for all instead of one a component, and imported
// components have the types of their props. Experimental, so the parser says so in each run; without it the same rules take half as long again.
process.env.SVELTE_ESLINT_PARSER_EXPERIMENTAL_TS_SYS_HOOK = '1'
const { default: svelte } = await import('eslint-plugin-svelte')

export default ts.config(
  { ignores: ['dist', 'node_modules', 'results', 'test-results', '.svelte-check', '**/*.ts', '!**/*.svelte.ts', '**/*.js', '**/*.mjs'] },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { project: ['./tsconfig.json'], extraFileExtensions: ['.svelte'] },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        { selector: "CallExpression[callee.name='eval']", message: 'The CSP forbids eval.' },
        { selector: "NewExpression[callee.name='Function']", message: 'The CSP forbids compiling text.' },
        {
          selector:
            'CallExpression[callee.property.name=/^(push|unshift|splice|concat|fromCharCode|fromCodePoint|max|min|hypot)$/] > SpreadElement',
          message:
            'Spread arguments go on the stack, which has room for tens of thousands: use maxOf, minOf or append of src/base/arrays.ts.',
        },
      ],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: { 'svelte/no-at-html-tags': 'error' },
  },
)
