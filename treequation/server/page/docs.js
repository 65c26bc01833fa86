// The HTTP interface, drawn by Swagger UI from the service's own OpenAPI.

window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#interface",
  deepLinking: true,
  validatorUrl: null, // send the file to no other host for validation
  presets: [window.SwaggerUIBundle.presets.apis],
});
