import com.sun.source.util.JavacTask;
import java.nio.file.Path;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Exits with 0 if javac's parser takes a file for Java; names and types are not looked at. */
public class ParseOnly {
    public static void main(String[] arguments) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var problems = new DiagnosticCollector<JavaFileObject>();
        var files = compiler.getStandardFileManager(problems, null, null);
        var sources = files.getJavaFileObjects(Path.of(arguments[0]));
        var task = (JavacTask) compiler.getTask(null, files, problems, null, null, sources);
        task.parse();
        System.exit(problems.getDiagnostics().isEmpty() ? 0 : 1);
    }
}
