/** Components alone: oxlint looks at the modules (`.oxlintrc.json`), in a tenth of the time. */
import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'

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
