/** Types of the items of OpenAI's Responses API. https://platform.openai.com/docs/api-reference/responses/object */
export const responseItemTypes: ReadonlySet<string> = new Set(
  'message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output web_search_call file_search_call code_interpreter_call computer_call computer_call_output image_generation_call mcp_list_tools mcp_call mcp_approval_request mcp_approval_response tool_search_call tool_search_output compaction compaction_summary item_reference'.split(
    ' ',
  ),
)
